"""Tables whose rows are only ever added: the audit trails.

Guarantee: PostgreSQL refuses to change or delete a row of them, or to empty them, whoever asks: the admin, a service, a
shell, ``manage.py flush``. Only what runs inside ``erasing`` may, which is for the service that erases what is old
enough, and nothing else. Whoever owns the tables can do away with the triggers; that takes a migration's rights and
leaves the traces that such things leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.migrations import RunSQL

from jobs.errors import NotInTransaction

# A setting of the transaction, which ends with it.
_ALLOW = "SELECT set_config('jobs.erasing', 'on', true)"
_FORBID = "SELECT set_config('jobs.erasing', '', true)"

CREATE_FUNCTION = """
    CREATE FUNCTION jobs_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('jobs.erasing', true) = 'on' THEN
            RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
        END IF;
        RAISE EXCEPTION 'Rows of % are only ever added: it is an audit trail.', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END
    $$
"""
DROP_FUNCTION = "DROP FUNCTION jobs_append_only()"


def only_adds(table: str) -> RunSQL:
    """For a migration, after the one of jobs that makes the function: rows of ``table`` are only added from then on."""
    return RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION jobs_append_only()",
        f"DROP TRIGGER append_only ON {table}",
    )


def is_never_emptied(table: str) -> RunSQL:
    """The same for TRUNCATE, which no trigger for rows sees, also where it comes over from another table."""
    return RunSQL(
        f"CREATE TRIGGER never_emptied BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION jobs_append_only()",
        f"DROP TRIGGER never_emptied ON {table}",
    )


@contextmanager
def erasing(*, using: str = "default") -> Iterator[None]:
    """Let the block erase rows of audit trails. Raises NotInTransaction outside a transaction."""
    connection = connections[using]
    if not connection.in_atomic_block:
        raise NotInTransaction("Erase from the audit trails in a transaction that says so in one of them.")
    with connection.cursor() as cursor:
        cursor.execute(_ALLOW)
        yield
        cursor.execute(_FORBID)
