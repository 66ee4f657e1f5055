"""The order to stop, as a worker's child hears it.

The main process sends SIGUSR2 to a child whose job still runs when the time for a soft stop is over. The body is
interrupted as by a time limit, and the run hands its job back; between two bodies the order is only remembered, so
that no statement of the engine's own is cut in two.

Threads cannot be interrupted. In a worker of threads the order is one flag for all of them (``give``): who waits for
PostgreSQL gives up, and who is about to begin hands back; what is in the hands of a body then ends with the process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sentry_sdk
from celery.signals import worker_process_init, worker_process_shutdown
from django.db import connections

from jobs import wakeup

SIGNAL = signal.SIGUSR2
FLUSH_SECONDS = 2.0
"""How long a child that goes lets Sentry send what it has."""


class StopOrdered(KeyboardInterrupt):
    """The worker stops: this run gives its job back.

    A KeyboardInterrupt, so that psycopg cancels the statement that it waits for instead of leaving it to run.
    """


class _Child:
    ordered = False
    in_body = False


def stop_ordered() -> bool:
    """Whether this process has been told to stop."""
    return _Child.ordered


def give() -> None:
    """Tell all threads of this process to stop."""
    _Child.ordered = True


@contextmanager
def stoppable() -> Iterator[None]:
    """Let the order interrupt the block. Raises StopOrdered at once when it was given before."""
    _Child.in_body = True
    try:
        if _Child.ordered:
            raise StopOrdered
        yield
    finally:
        _Child.in_body = False


def _hear(*_: object) -> None:
    _Child.ordered = True
    if _Child.in_body:
        _Child.in_body = False  # once: what the body does to clean up is not interrupted again
        raise StopOrdered


@worker_process_init.connect
def _listen(**_: Any) -> None:
    _Child.ordered = _Child.in_body = False
    signal.signal(SIGNAL, _hear)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal sends it to all; the main process decides


@worker_process_shutdown.connect
def _leave(**_: Any) -> None:
    """End a child that was told to stop, in good order and at once; billiard would let it linger for a second."""
    if _Child.ordered:
        wakeup.close()
        connections.close_all()
        sentry_sdk.flush(FLUSH_SECONDS)
        os._exit(0)
