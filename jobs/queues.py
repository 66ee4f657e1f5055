"""What a queue is. The table of all queues is ``config/queues.py``."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

MAX_LENGTH = 20_000
"""Messages that the broker's queue takes before it refuses; fixed, since RabbitMQ cannot change it later."""


@dataclass(frozen=True)
class Queue:
    """One queue and its bounds.

    window: published jobs that may sit at the broker at once; the rest of the backlog waits in the ledger (I8).
    horizon_seconds: age at which a published job that the broker no longer holds counts as lost (rule of rescue).
    soft_limit_seconds, hard_limit_seconds: how long a job may run, waiting for its claim included.
    lease_seconds: how long a worker owns a job; longer than the hard limit, so that a live worker never loses it.
    """

    name: str
    purpose: str
    window: int = 500
    horizon_seconds: float = 10
    soft_limit_seconds: float = 45
    hard_limit_seconds: float = 60
    lease_seconds: float = 75

    def __post_init__(self) -> None:
        if not self.soft_limit_seconds < self.hard_limit_seconds < self.lease_seconds:
            raise ValueError(f"Queue {self.name}: soft limit < hard limit < lease must hold.")
        if not 0 < self.window <= MAX_LENGTH // 4:
            raise ValueError(f"Queue {self.name}: its window must lie between 1 and {MAX_LENGTH // 4}.")


def all_queues() -> tuple[Queue, ...]:
    """The queues of this installation, in the table's order."""
    return tuple(settings.LEDGER_QUEUES)


def queue_named(name: str) -> Queue:
    """The queue called ``name``. Raises KeyError when the table does not list it."""
    return {queue.name: queue for queue in all_queues()}[name]
