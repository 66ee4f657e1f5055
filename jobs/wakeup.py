"""Waking the relay after a commit.

A NOTIFY inside the transaction would take PostgreSQL's global commit lock, so it is sent afterwards, on a
connection of its own and at most every few milliseconds: a thread per process and database rings for all commits
that happened meanwhile, and names their queues. A wake-up that is lost costs nothing but the relay's poll interval.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import Any

import psycopg
import structlog
from django.db import connections, transaction
from psycopg import sql

from jobs.pooler import is_pooled

CHANNEL = "jobs_due"
COALESCE_SECONDS = 0.01
"""The first commit after so long a silence rings at once."""
EVERY_QUEUE = ""

# A NOTIFY takes a transaction id, and its commit would wait for the disk.
NO_WAL_FLUSH = "SET synchronous_commit = off"
IDLE_SECONDS = 30.0

log = structlog.get_logger(__name__)


def plain_connection(using: str) -> psycopg.Connection[Any]:
    """A connection of its own to the database ``using``, outside Django's pool, in autocommit."""
    return psycopg.connect(**connections[using].get_connection_params(), autocommit=True)


class Bell:
    """Rings for one database of one process."""

    def __init__(self, using: str) -> None:
        self.using = using
        self.parameters = connections[using].get_connection_params()
        self._rung: set[str] = set()
        self._stopping = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"wakeup-{using}", daemon=True)
        self._thread.start()

    def ring(self, queue: str) -> None:
        """Ask for a wake-up; returns at once."""
        self._rung.add(queue)
        self._wake.set()

    def close(self) -> None:
        """Stop the thread and close its connection, after a last wake-up if one is due."""
        self._stopping = True
        self._wake.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        connection: psycopg.Connection[Any] | None = None
        while self._rung or not self._stopping:
            woken = self._wake.wait(IDLE_SECONDS)
            self._wake.clear()
            if not woken:
                _close(connection)
                connection = None
            if not self._rung:
                continue
            queues = set()  # taken before the NOTIFY: who rings from now on rings again
            while self._rung:
                queues.add(self._rung.pop())
            try:
                if connection is None:
                    connection = psycopg.connect(**self.parameters, autocommit=True)
                    connection.execute(NO_WAL_FLUSH)
                connection.execute(_notify(queues))
            except psycopg.Error as error:
                # The relay polls as well: this wake-up is late, not lost.
                log.warning("wakeup_failed", error=type(error).__name__)
                _close(connection)
                connection = None
            time.sleep(COALESCE_SECONDS)
        _close(connection)


_bells: dict[str, Bell] = {}
_lock = threading.Lock()


def ring(*, using: str = "default", queue: str = EVERY_QUEUE) -> None:
    """Wake the relay of the database ``using`` soon, for one queue or for all. Costs the caller no query.

    Behind a transaction pooler nobody could hear it, and the relay polls.
    """
    if is_pooled(using):
        return
    bell = _bells.get(using)
    if bell is None:
        with _lock:
            bell = _bells.get(using)
            if bell is None:
                bell = _bells[using] = Bell(using)
    bell.ring(queue)


def ring_on_commit(*, using: str, queue: str = EVERY_QUEUE) -> None:
    """Wake the relay when this transaction commits, at once outside one.

    Robust: what is committed must not fail over a wake-up, nor keep other hooks from running.
    """
    transaction.on_commit(lambda: ring(using=using, queue=queue), using=using, robust=True)


def queues_named_by(payload: str) -> list[str]:
    """The queues that a wake-up names; none when it is for all of them."""
    names = payload.split(",")
    return [] if EVERY_QUEUE in names else names


def close() -> None:
    """Stop all threads of this process."""
    while _bells:
        _, bell = _bells.popitem()
        bell.close()


def _forget() -> None:
    """A forked child has neither its parent's threads nor, perhaps, a lock that one of them will give back."""
    global _lock
    _bells.clear()
    _lock = threading.Lock()


atexit.register(close)
os.register_at_fork(after_in_child=_forget)


def _close(connection: psycopg.Connection[Any] | None) -> None:
    if connection is not None:
        connection.close()


def _notify(queues: set[str]) -> sql.Composed:
    """A payload that is too long for PostgreSQL (8,000 bytes) is never reached: it names queues of one table."""
    return sql.SQL("NOTIFY {}, {}").format(sql.Identifier(CHANNEL), sql.Literal(",".join(sorted(queues))))
