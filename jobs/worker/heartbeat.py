"""A worker's sign of life, for the relay that sizes windows by it and for whoever asks who is there.

Guarantee: the first beat comes before the first message, if the database can be reached; a beat is never in the way
of a job, an outage of the database ends none of the worker's work, and an orderly stop takes the row away. A worker
beats in every database, since it runs the jobs of all.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

import psycopg
import structlog
from celery import bootsteps
from django.db import connections

from jobs.flow.heartbeats import BEAT, BEAT_SECONDS, LEAVE, Sign, pool_of
from jobs.models import Heartbeat
from jobs.worker.children import running

log = structlog.get_logger(__name__)

FIRST_SECONDS = 2.0
"""How long a worker waits with its first message for its first beat."""
LEAVE_SECONDS = 1.0
"""How long it waits at its end for its row to go. A row that stays counts for nothing soon."""


class Pulse:
    """The beats in one database: a thread with a connection of its own, outside Django's.

    sign: says what the worker is doing, in any thread.
    """

    def __init__(self, using: str, sign: Callable[[], Sign]) -> None:
        self._sign = sign
        self._name = sign().name
        self._parameters = connections[using].get_connection_params()
        self._connection: psycopg.Connection[Any] | None = None
        self._started_at: datetime | None = None
        self._failing = False
        self._stopped = threading.Event()
        self._beaten = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heartbeat-{using}", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        os.register_at_fork(after_in_child=self._disown)
        self._thread.start()

    def wait_for_first(self) -> None:
        """Wait until the first beat is written or has failed, for ``FIRST_SECONDS`` at most."""
        self._beaten.wait(FIRST_SECONDS)

    def stop(self) -> None:
        """Ask the thread to take the row away and to end."""
        self._stopped.set()

    def join(self) -> None:
        """Wait for the thread, for ``LEAVE_SECONDS`` at most."""
        self._thread.join(LEAVE_SECONDS)

    def _run(self) -> None:
        while True:
            self._attempt(self._beat)
            self._beaten.set()
            if self._stopped.wait(BEAT_SECONDS):
                self._attempt(self._leave)
                self._close()
                return

    def _attempt(self, write: Callable[[psycopg.Connection[Any]], None]) -> None:
        try:
            if self._connection is None:
                self._connection = psycopg.connect(**self._parameters, autocommit=True)
            write(self._connection)
            self._failing = False
        except Exception as error:  # whatever it is, it is no reason for a worker to stop
            if not self._failing:
                log.warning("heartbeat_failed", error=type(error).__name__)
            self._failing = True
            self._close()

    def _beat(self, connection: psycopg.Connection[Any]) -> None:
        values = self._sign().values(started_at=self._started_at)
        row = connection.execute(BEAT, values, prepare=False).fetchone()
        assert row is not None
        self._started_at = row[0]

    def _leave(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(LEAVE, {"name": self._name}, prepare=False)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _disown(self) -> None:
        """In a forked child: let go of the connection without a word to the server, which would end it for both."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error, OSError):
                os.close(connection.pgconn.socket)


class Heartbeats(bootsteps.StartStopStep):
    """The pulses of a worker's main process. Started after its children, and before it consumes."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        """Celery starts the worker."""
        self._pulses = [Pulse(using, partial(sign_of, worker)) for using in connections]
        for pulse in self._pulses:
            pulse.start()
        for pulse in self._pulses:
            pulse.wait_for_first()

    def stop(self, worker: Any) -> None:
        """Celery stops the worker."""
        for pulse in self._pulses:
            pulse.stop()
        for pulse in self._pulses:
            pulse.join()


def sign_of(worker: Any) -> Sign:
    """What a worker says of itself now."""
    queues = list(worker.app.amqp.queues.consume_from)
    return Sign(
        name=worker.hostname,
        kind=Heartbeat.Kind.WORKER,
        pool=pool_of(queues),
        queues=queues,
        concurrency=worker.concurrency,
        prefetch=worker.concurrency * worker.prefetch_multiplier,
        running=len(running(worker)),
    )
