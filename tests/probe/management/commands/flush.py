"""Django's ``flush`` for a database of which a test has touched little, run after each test with real commits.

Django truncates every table, which makes new files for each of them and its indexes, and then writes the content types
and permissions anew. Here only the tables that have rows are emptied, and what migrating writes is left in place:
content types, permissions, and the groups of roles.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.management.commands import flush
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from boxoffice.roles.table import GRANTS, ROLES
from jobs.append_only import erasing

SMALL_BYTES = 128 * 1024
"""DELETE is quicker than TRUNCATE for tables up to this size, and leaves dead rows behind, which must stay few."""

KEPT = frozenset({"django_content_type", "auth_permission", "auth_group", "auth_group_permissions"})

# Whoever still writes is waited for, as TRUNCATE does, so that nothing of this test comes after its end.
WAIT_FOR_OTHERS = "LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE"

# By their size first, for to look into a table loads what PostgreSQL knows of it and of all its indexes.
OF_SOME_SIZE = """
    SELECT relname, relkind = 'p' OR pg_relation_size(oid) > %(small)s FROM pg_class
    WHERE relname = ANY (%(tables)s) AND relnamespace = current_schema()::regnamespace
          AND (relkind = 'p' OR pg_relation_size(oid) > 0)
"""

TABLE_WITH_ROWS = "SELECT '{table}' WHERE EXISTS (SELECT FROM {table})"

AS_MIGRATED = """
    SELECT (SELECT count(*) FROM django_content_type) = %s AND (SELECT count(*) FROM auth_permission) = %s
       AND (SELECT count(*) FROM auth_group) = %s AND (SELECT count(*) FROM auth_group_permissions) = %s
"""


class Command(flush.Command):
    help = flush.Command.help

    def handle(self, **options: Any) -> None:
        connection = connections[options["database"]]
        tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
        # A test that names its apps leaves the tables of the others alone, but for those that refer to its own.
        if options["interactive"] or options.get("allow_cascade") or not _as_migrated(connection, tables):
            with transaction.atomic(using=connection.alias), erasing(using=connection.alias):
                super().handle(**options)
        else:
            _empty(connection, sorted(tables - KEPT))


def _as_migrated(connection: BaseDatabaseWrapper, tables: set[str]) -> bool:
    """Whether the content types and permissions are as many as the models have, and the groups as many as the table of
    roles has. A part of the apps needs none."""
    if not tables >= KEPT:
        return True
    models = [model for app in apps.get_app_configs() if app.models_module for model in app.get_models()]
    permissions = sum(len(model._meta.default_permissions) + len(model._meta.permissions) for model in models)
    with connection.cursor() as cursor:
        cursor.execute(AS_MIGRATED, [len(models), permissions, len(ROLES), sum(len(grant.roles) for grant in GRANTS)])
        (same,) = cursor.fetchone()
    return bool(same)


def _empty(connection: BaseDatabaseWrapper, tables: list[str]) -> None:
    alias = connection.alias
    with transaction.atomic(using=alias), erasing(using=alias), connection.cursor() as cursor:
        cursor.execute(WAIT_FOR_OTHERS.format(tables=", ".join(tables)))
        cursor.execute(OF_SOME_SIZE, {"small": SMALL_BYTES, "tables": tables})
        is_large = dict(cursor.fetchall())
        if not is_large:
            return
        cursor.execute(" UNION ALL ".join(TABLE_WITH_ROWS.format(table=table) for table in is_large))
        found = [table for (table,) in cursor.fetchall()]
        large = [table for table in found if is_large[table]]
        if large:
            cursor.execute(f"TRUNCATE {', '.join(large)} CASCADE")
        # In any order: foreign keys are looked at when the transaction ends.
        for table in set(found).difference(large):
            cursor.execute(f"DELETE FROM {table}")
