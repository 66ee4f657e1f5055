"""The engine's sessions with PostgreSQL, in relay and workers.

Guarantee: a session that runs the engine's statements commits as rule 17 of the engine allows, cannot hold a lock
longer than a lease, and is known by its backend's pid and start, so that the rescue can tell when it is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db import DatabaseError, InterfaceError, connections
from psycopg.pq import TransactionStatus

from jobs.queues import all_queues

PREPARE_SESSION = """
    SELECT set_config('synchronous_commit', 'off', false),
           set_config('idle_in_transaction_session_timeout', %(idle)s, false),
           set_config('lock_timeout', %(lock)s, false)
"""

LONGEST_IDLE_SECONDS = 20.0
"""How long a transaction may stand still before PostgreSQL ends it, where the leases do not ask for less."""

OWN_BACKEND = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"


@dataclass(frozen=True)
class Backend:
    """A database session, told apart from any later one that gets the same pid."""

    pid: int
    start: datetime


_prepared: WeakKeyDictionary[psycopg.Connection[Any], Backend] = WeakKeyDictionary()


def engine_session(using: str) -> Backend:
    """Make this thread's connection to ``using`` an engine session; cheap when it is one already.

    Raises Django's OperationalError when PostgreSQL is away.
    """
    connection = connections[using]
    connection.ensure_connection()
    raw: psycopg.Connection[Any] = connection.connection
    backend = _prepared.get(raw)
    if backend is None:
        with connection.wrap_database_errors:
            raw.execute(PREPARE_SESSION, _time_limits())
            pid, start = raw.execute(OWN_BACKEND).fetchone()  # type: ignore[misc]
        backend = _prepared[raw] = Backend(pid, start)
    return backend


def _time_limits() -> dict[str, str]:
    """Limits that keep a paused worker's open transaction from blocking the run that replaces it.

    PostgreSQL ends the transaction well before the shortest lease is over, and who waits for a lock gives up earlier
    still.
    """
    shortest_lease = min(queue.lease_seconds for queue in all_queues())
    idle = min(LONGEST_IDLE_SECONDS, shortest_lease / 3)
    return {"idle": f"{idle * 1000:.0f}ms", "lock": f"{idle * 500:.0f}ms"}


def run(using: str, statement: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement of the engine as a prepared statement; return its rows, or ``[]`` if it has none.

    Inside ``transaction.atomic`` it takes part in that transaction, else it commits by itself.
    """
    connection = connections[using]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        with psycopg.Cursor(connection.connection) as cursor:
            cursor.execute(statement, parameters, prepare=True)
            return cursor.fetchall() if cursor.description else []


def count(using: str, statement: str, parameters: dict[str, Any]) -> int:
    """Run one statement and return how many rows it changed."""
    connection = connections[using]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        with psycopg.Cursor(connection.connection) as cursor:
            cursor.execute(statement, parameters, prepare=True)
            return cursor.rowcount


def session_was_lost(error: BaseException, *, using: str, session: Backend) -> bool:
    """Whether ``error`` came of the end of ``session``, rather than of what was asked of the database.

    Django opens a new connection as soon as the block that failed is left, so a working one proves nothing.
    """
    if not isinstance(error, (DatabaseError, InterfaceError)):
        return False
    raw = connections[using].connection
    return raw is None or raw.closed or raw.broken or _prepared.get(raw) != session


def drop_broken_connections(aliases: Sequence[str] | None = None) -> None:
    """Close connections that a failure has made useless, so that the next job opens a new one.

    Useless is also one inside a transaction: a time limit can strike between the steps of Django's own bookkeeping,
    and whatever the next job wrote there would never commit. Call it where no transaction is meant to be open.
    """
    for connection in connections.all(initialized_only=True):
        raw = connection.connection
        if raw is None or (aliases is not None and connection.alias not in aliases):
            continue
        if connection.in_atomic_block or raw.pgconn.transaction_status != TransactionStatus.IDLE:
            connection.in_atomic_block = False  # close() would leave the rest to the end of a block that has none
            connection.close()
        else:
            connection.close_if_unusable_or_obsolete()
