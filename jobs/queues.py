"""What a queue and a pool of workers are. The tables of all are in ``config/queues.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

MAX_LENGTH = 20_000
"""Messages that the broker's queue takes before it refuses; fixed, since RabbitMQ cannot change it later."""


class WrongTable(ImproperlyConfigured, ValueError):
    """A table says what cannot be; ``manage.py`` prints the sentence, without the way to it."""


@dataclass(frozen=True)
class Pool:
    """Workers of one kind: the unit that is started, scaled and watched.

    concurrency: processes, or threads, that one worker runs jobs in.
    kind: "prefork" for processes, one CPU each; "threads" for jobs that mostly wait for somebody else. A thread cannot
        be interrupted: no soft limit strikes there, and whom its jobs call must answer in time (jobs.E075).
    prefetch: messages that a worker holds for each of them; 1 where jobs are long.
    backlog: due jobs for each of its workers at which the autoscaler asks for another one.
    most_workers: how far it may go; PostgreSQL needs a connection for each process or thread, and one more.
    preload: modules that its jobs need and other workers do not, loaded once before a worker makes its processes.
    """

    name: str
    purpose: str
    concurrency: int
    kind: Literal["prefork", "threads"] = "prefork"
    prefetch: int = 4
    backlog: int = 100
    most_workers: int = 10
    preload: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if min(self.concurrency, self.prefetch, self.backlog, self.most_workers) < 1:
            raise WrongTable(f"Pool {self.name}: each of its numbers must be 1 or more.")


@dataclass(frozen=True)
class Shed:
    """What a queue may lose under load. Jobs are dropped, and counted, until both bounds hold.

    policy: which ones go first. above: jobs that may wait. older_than_seconds: how long they may have been due.
    """

    policy: Literal["oldest", "newest"]
    above: int
    older_than_seconds: float


@dataclass(frozen=True)
class Queue:
    """One queue and its bounds.

    pool: the workers that run its jobs.
    promise_seconds: the age within which its due jobs start; past it, somebody is alerted.
    priority: of a job that names none; 0 is the most urgent, 9 the least.
    window: published jobs that may sit at the broker at once, at most; the rest of the backlog waits in the ledger
        (I8). The relay keeps fewer there where workers are slower (see ``jobs/relay/window.py``).
    horizon_seconds: age at which a published job that the broker no longer holds counts as lost (rule of rescue).
    shed: what may be dropped under load; None for nothing, which is how it is for whatever somebody paid for.
    refuse_above_seconds: the time that its backlog takes to drain at which the edge refuses what would add to it.
        None for never. What was paid is never refused.
    soft_limit_seconds, hard_limit_seconds: how long a job may run, waiting for its claim included.
    lease_seconds: how long a worker owns a job; longer than the hard limit, so that a live worker never loses it.
    """

    name: str
    purpose: str
    pool: str = "default"
    promise_seconds: float = 30
    priority: int = 5
    window: int = 500
    horizon_seconds: float = 10
    shed: Shed | None = None
    refuse_above_seconds: float | None = None
    soft_limit_seconds: float = 45
    hard_limit_seconds: float = 60
    lease_seconds: float = 75

    def __post_init__(self) -> None:
        if not self.soft_limit_seconds < self.hard_limit_seconds < self.lease_seconds:
            raise WrongTable(f"Queue {self.name}: soft limit < hard limit < lease must hold.")
        if not 0 < self.window <= MAX_LENGTH // 4:
            raise WrongTable(f"Queue {self.name}: its window must lie between 1 and {MAX_LENGTH // 4}.")
        if not 0 <= self.priority <= 9:
            raise WrongTable(f"Queue {self.name}: its priority must lie between 0 and 9.")
        if self.promise_seconds <= 0:
            raise WrongTable(f"Queue {self.name}: its promise must be longer than nothing.")


def all_pools() -> tuple[Pool, ...]:
    """The pools of this installation, in the table's order."""
    return tuple(settings.LEDGER_POOLS)


def all_queues() -> tuple[Queue, ...]:
    """The queues of this installation, in the table's order."""
    return tuple(settings.LEDGER_QUEUES)


def queue_named(name: str) -> Queue:
    """The queue called ``name``. Raises KeyError when the table does not list it."""
    return {queue.name: queue for queue in all_queues()}[name]
