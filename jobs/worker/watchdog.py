"""A watchdog for workers that live and do not hear: messages wait, and the worker has room and receives none.

It happens after a reconnect that went wrong, and to the consumers of a quorum queue that was deleted and declared
anew at once; a probe of liveness sees nothing of it. The watchdog looks every ``LEDGER_WATCHDOG_SECONDS``. After
``LOOKS`` bad looks in a row it lets the consumer connect anew; if as many more are no better, it lets the worker stop
softly and start over in the same process (``exec``), so that it works under every supervisor, and none is asked.

A worker in which as many threads hang as may run jobs starts over in the same way, for nothing else ends a thread.

It judges by what it saw itself: a worker that is busy has no room; one that is slow receives something between two
looks; one that was paused, or has no broker, or whose broker cannot be asked, is not judged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any

import structlog
from celery import bootsteps
from django.conf import settings
from kombu.connection import Connection
from kombu.exceptions import KombuError

from jobs.worker.children import hanging, running

log = structlog.get_logger(__name__)

LOOKS = 3
"""Bad looks in a row before something is done: one may fall between a message's arrival and its delivery."""


class Verdict(Enum):
    """What is to be done with the worker."""

    NOTHING = "nothing"
    RECONNECT = "reconnect"
    RESTART = "restart"


class Judge:
    """Counts bad looks in a row. ``interval`` is the time between two looks, in seconds."""

    def __init__(self, *, interval: float) -> None:
        self._interval = interval
        self._received = 0
        self._looked_at = 0.0
        self._bad_looks = 0
        self._reconnected = False

    def look(self, *, now: float, received: int, has_room: bool, ready: Callable[[], int | None]) -> Verdict:
        """Say what follows from this look.

        now: seconds on a clock that only grows. received: messages since the worker started. ready: asks how many
        messages wait for it, None if nobody knows; it is only asked when the rest looks bad.
        """
        was_paused = now - self._looked_at > 3 * self._interval
        heard = received != self._received
        self._looked_at, self._received = now, received
        if heard:
            self._reconnected = False
        if heard or was_paused or not has_room or not ready():
            self._bad_looks = 0
            return Verdict.NOTHING
        self._bad_looks += 1
        if self._bad_looks < LOOKS:
            return Verdict.NOTHING
        self._bad_looks = 0
        if not self._reconnected:
            self._reconnected = True
            return Verdict.RECONNECT
        return Verdict.RESTART


class Watchdog(bootsteps.StartStopStep):
    """A thread of the worker's main process, since its event loop may be what hangs."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        """Celery starts the worker."""
        self._stopped = threading.Event()
        threading.Thread(target=self._watch, args=(worker,), name="watchdog", daemon=True).start()

    def stop(self, worker: Any) -> None:
        """Celery stops the worker."""
        self._stopped.set()

    def _watch(self, worker: Any) -> None:
        interval = settings.LEDGER_WATCHDOG_SECONDS
        judge = Judge(interval=interval)
        while not self._stopped.wait(interval) and not worker.soft_stop.ordered:
            if hanging(worker) >= worker.concurrency:
                log.error("threads_hang", count=hanging(worker), then="the worker starts over")
                worker.soft_stop.order_restart()
                return
            queues = list(worker.app.amqp.queues.consume_from)
            verdict = judge.look(
                now=time.monotonic(),
                received=worker.consumer.received,
                has_room=len(running(worker)) < worker.concurrency,
                ready=partial(messages_ready, worker.app.connection_for_read(), queues),
            )
            if verdict is Verdict.RECONNECT:
                log.warning("consumer_is_deaf", queues=queues, then="it connects anew")
                _reconnect(worker, within=interval)
            elif verdict is Verdict.RESTART:
                log.error("worker_is_deaf", queues=queues, then="it starts over")
                worker.soft_stop.order_restart()


def messages_ready(connection: Connection, queues: list[str]) -> int | None:
    """Count the messages that wait in ``queues``, and close the connection; None when the broker cannot be asked.

    RabbitMQ first fills the prefetch of a consumer that does not hear; these messages the ledger publishes again.
    """
    errors = (*connection.connection_errors, *connection.channel_errors, KombuError, OSError)
    try:
        with connection:
            connection.ensure_connection(max_retries=1, interval_start=0.2, timeout=5)
            return sum(_ready_in(connection, queue) for queue in queues)
    except errors:
        return None


def _ready_in(connection: Connection, queue: str) -> int:
    """A queue that does not exist holds nothing. It is not declared: that is what makes consumers deaf."""
    with suppress(*connection.channel_errors), connection.channel() as channel:
        return int(channel.queue_declare(queue, passive=True).message_count)
    return 0


def _reconnect(worker: Any, *, within: float) -> None:
    """Let the event loop take its connection for lost, unless it comes to it too late to be meant."""
    deadline = time.monotonic() + within

    def lose_the_connection() -> None:
        if time.monotonic() < deadline:
            raise ConnectionResetError("The watchdog closes the connection of a consumer that is deaf.")

    if worker.hub is not None:
        worker.hub.call_soon(lose_the_connection)
