"""A pooler between us and PostgreSQL that lends a session for one transaction (PgBouncer's ``pool_mode=transaction``).

Behind it, whatever outlives a transaction belongs to a stranger or is gone: settings of a session, prepared
statements, LISTEN, advisory locks of a session, temporary tables, cursors, and the backend by whose end a dead worker
is noticed. So there the engine uses none of them: the relay polls, every statement is planned anew, commits are
synchronous, time limits are the role's, and a run whose worker is gone comes back when its lease is over.

Guarantee: an engine that is behind a pooler and was not told so refuses its session, before it has left anything in
it; and so does one that was told, if nothing would end the open transaction of a worker that stands still.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import connections

LIMITS = """
    SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float8,
           extract(epoch FROM current_setting('lock_timeout')::interval)::float8,
           current_user, current_database()
"""


def is_pooled(using: str) -> bool:
    """Whether the settings say that a transaction pooler stands before the database ``using``."""
    return connections[using].settings_dict.get("POOLER") == "transaction"


def objection(session: psycopg.Connection[Any], *, using: str, longest_idle: float) -> str:
    """Why the engine must not use this session, in a sentence that says what to do; empty when it may. One query.

    longest_idle: seconds for which a transaction may stand still, so that it is over well before a lease is.
    """
    return _without_limits(session, longest_idle) if is_pooled(using) else _pooled_unawares(session, using)


def _pooled_unawares(session: psycopg.Connection[Any], using: str) -> str:
    """A pooler answers for many backends, and so it hands out numbers of its own."""
    row = session.execute("SELECT pg_backend_pid()").fetchone()
    if row is not None and row[0] == session.info.backend_pid:
        return ""
    return (
        f"A pooler stands before the database {using!r}, and its sessions are not ours to keep: set DATABASE_POOLER to "
        "transaction, which is right for every kind of pooler, or connect to PostgreSQL itself."
    )


def _without_limits(session: psycopg.Connection[Any], longest_idle: float) -> str:
    row = session.execute(LIMITS).fetchone()
    assert row is not None
    idle, lock, role, database = row
    if 0 < lock < idle <= longest_idle:
        return ""
    alter = f'ALTER ROLE "{role}" IN DATABASE "{database}" SET'
    return (
        f"Behind a pooler the role must bring its time limits along, or a worker that stands still in a transaction "
        f"blocks the run that replaces it. They are {idle:g} s (idle_in_transaction_session_timeout, at most "
        f"{longest_idle:g} s) and {lock:g} s (lock_timeout, less than that); 0 is none. Run "
        f"{alter} idle_in_transaction_session_timeout = '{longest_idle * 500:.0f}ms'; "
        f"{alter} lock_timeout = '{longest_idle * 250:.0f}ms'; and let the pooler connect anew (RECONNECT)."
    )
