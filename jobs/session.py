"""The engine's sessions with PostgreSQL, in relay and workers.

Guarantee: a session that runs the engine's statements commits as rule 17 of the engine allows, cannot hold a lock
longer than a lease, and is known by its backend's pid and start, so that the rescue can tell when it is gone. Behind a
transaction pooler the first and the last do not hold, and the second is the role's doing: see ``pooler.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError, connections
from psycopg.pq import TransactionStatus

from jobs.pooler import is_pooled, objection
from jobs.queues import all_queues

PREPARE_SESSION = """
    SELECT set_config('synchronous_commit', 'off', false),
           set_config('idle_in_transaction_session_timeout', %(idle)s, false),
           set_config('lock_timeout', %(lock)s, false)
"""

LONGEST_IDLE_SECONDS = 20.0
"""How long a transaction may stand still before PostgreSQL ends it, where the leases do not ask for less."""

# A plan is kept as long as the session, and one that was made while the ledger was small would read all of it when it
# has grown, until somebody analyses it. All that relays look for has an index.
READ_BY_INDEX = "SET enable_seqscan = off"

OWN_BACKEND = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"


@dataclass(frozen=True)
class Backend:
    """A database session, told apart from any later one that gets the same pid.

    Behind a transaction pooler nobody knows its backend, and both are None; so it is in a session that a web process
    lends from its own pool.
    """

    pid: int | None
    start: datetime | None


_prepared: WeakKeyDictionary[psycopg.Connection[Any], Backend] = WeakKeyDictionary()
_by_index: WeakSet[psycopg.Connection[Any]] = WeakSet()


def engine_session(using: str) -> Backend:
    """Make this thread's connection to ``using`` an engine session; cheap when it is one already.

    Raises Django's OperationalError when PostgreSQL is away, and ImproperlyConfigured when ``pooler.py`` objects.
    """
    connection = connections[using]
    connection.ensure_connection()
    raw: psycopg.Connection[Any] = connection.connection
    backend = _prepared.get(raw)
    if backend is None:
        with connection.wrap_database_errors:
            if why := objection(raw, using=using, longest_idle=longest_idle_seconds()):
                raise ImproperlyConfigured(why)
            borrowed = is_pooled(using) or is_lent(using)
            backend = _prepared[raw] = Backend(None, None) if borrowed else _prepare(raw)
    return backend


def reading_session(using: str) -> Backend:
    """The same for a process that runs the engine's statements alone, which then read by their indexes, whatever the
    size of the ledger was when they were planned. Behind a transaction pooler they are planned as any.
    """
    backend = engine_session(using)
    raw = connections[using].connection
    if raw not in _by_index and not is_pooled(using):
        run(using, READ_BY_INDEX, {})
        _by_index.add(raw)
    return backend


def is_lent(using: str) -> bool:
    """Whether this process pools its sessions, as a web process does: nothing may be set in one that outlives its use.

    They bring their time limits along (``config/settings/database.py``), and the next request must find them as they
    were.
    """
    return bool(connections[using].settings_dict["OPTIONS"].get("pool"))


def longest_idle_seconds() -> float:
    """How long a transaction may stand still, so that PostgreSQL ends it well before the shortest lease is over."""
    return min(LONGEST_IDLE_SECONDS, min(queue.lease_seconds for queue in all_queues()) / 3)


def _prepare(raw: psycopg.Connection[Any]) -> Backend:
    """Set the limits that keep a paused worker's open transaction from blocking the run that replaces it.

    Who waits for a lock gives up earlier still.
    """
    idle = longest_idle_seconds()
    raw.execute(PREPARE_SESSION, {"idle": f"{idle * 1000:.0f}ms", "lock": f"{idle * 500:.0f}ms"})
    pid, start = raw.execute(OWN_BACKEND).fetchone()  # type: ignore[misc]
    return Backend(pid, start)


def run(using: str, statement: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement of the engine, prepared if the session is ours; return its rows, or ``[]`` if it has none.

    Inside ``transaction.atomic`` it takes part in that transaction, else it commits by itself.
    """
    connection = connections[using]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        with psycopg.Cursor(connection.connection) as cursor:
            cursor.execute(statement, parameters, prepare=not is_pooled(using))
            # Asking for the description would describe each column, which takes as long as sending the statement.
            return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []


def count(using: str, statement: str, parameters: dict[str, Any]) -> int:
    """Run one statement and return how many rows it changed."""
    connection = connections[using]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        with psycopg.Cursor(connection.connection) as cursor:
            cursor.execute(statement, parameters, prepare=not is_pooled(using))
            return cursor.rowcount


def session_was_lost(error: BaseException, *, using: str, session: Backend) -> bool:
    """Whether ``error`` came of the end of ``session``, rather than of what was asked of the database.

    Django opens a new connection as soon as the block that failed is left, so a working one proves nothing.
    """
    if not isinstance(error, (DatabaseError, InterfaceError)):
        return False
    raw = connections[using].connection
    return raw is None or raw.closed or raw.broken or _prepared.get(raw) is not session


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
