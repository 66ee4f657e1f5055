"""What a destination is: a provider that jobs call. The table of all is ``config/destinations.py``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings

from jobs.queues import WrongTable


@dataclass(frozen=True)
class Destination:
    """One provider, and how its jobs are kept from standing in the way of others.

    tasks: the tasks that call it.
    share: the part of its pool's processes that its jobs may have in hand at once, one at least. However slow its
        answers are, the rest of the pool is left to others.
    failures_to_open: transient failures in a row, of different jobs, after which it is taken for away.
    first_wait_seconds, longest_wait_seconds: until the first probe, doubled with each that fails, up to the longest.
    timeout_seconds: how long a call waits for one answer; None where nobody has said it.
    rate_per_second: jobs that it is handed in a second, all workers together; None where nobody has set a limit.
    limit_per_second: calls that it takes in any second, where that is more than the rate; None where it is the same.
    """

    name: str
    purpose: str
    tasks: tuple[str, ...]
    share: float = 0.75
    failures_to_open: int = 10
    first_wait_seconds: float = 5
    longest_wait_seconds: float = 60
    timeout_seconds: float | None = None
    rate_per_second: float | None = None
    limit_per_second: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or self.failures_to_open < 2:
            raise WrongTable(f"Destination {self.name}: 0 < share <= 1 and failures_to_open >= 2 must hold.")
        if not 0 < self.first_wait_seconds <= self.longest_wait_seconds:
            raise WrongTable(f"Destination {self.name}: 0 < first wait <= longest wait must hold.")
        if self.rate_per_second is not None and not self.rate_per_second > 0:
            raise WrongTable(f"Destination {self.name}: its rate per second must be more than 0, or None.")
        if self.limit_per_second is not None and not self.limit_per_second >= (self.rate_per_second or float("inf")):
            raise WrongTable(f"Destination {self.name}: its limit per second must not be less than its rate, or None.")


def all_destinations() -> tuple[Destination, ...]:
    """The destinations of this installation, in the table's order."""
    return tuple(settings.LEDGER_DESTINATIONS)


def destination_of(task: str) -> str:
    """The name of the destination that ``task`` calls; empty for one that calls nobody."""
    return _by_task(all_destinations()).get(task, "")


def destination_named(name: str) -> Destination | None:
    """The destination called ``name``, or None: a row may name one that the table does not list any more."""
    return next((destination for destination in all_destinations() if destination.name == name), None)


def queues_calling(name: str) -> frozenset[str]:
    """The names of the queues whose jobs call the destination called ``name``; none for one that no table lists."""
    return _callers(all_destinations(), tuple(settings.LEDGER_TASKS.items())).get(name, frozenset())


def called_from(queue: str) -> frozenset[str]:
    """The destinations that jobs of this queue call, with an empty name among them if some call nobody."""
    return _called(all_destinations(), tuple(settings.LEDGER_TASKS.items())).get(queue, frozenset({""}))


@cache
def _callers(destinations: tuple[Destination, ...], tasks: tuple[tuple[str, str], ...]) -> Mapping[str, frozenset[str]]:
    queue_of = dict(tasks)
    return {each.name: frozenset(queue_of[task] for task in each.tasks if task in queue_of) for each in destinations}


@cache
def _called(destinations: tuple[Destination, ...], tasks: tuple[tuple[str, str], ...]) -> Mapping[str, frozenset[str]]:
    calls = _by_task(destinations)
    queues = {queue for _, queue in tasks}
    return {queue: frozenset(calls.get(task, "") for task, its in tasks if its == queue) for queue in queues}


@cache
def _by_task(destinations: tuple[Destination, ...]) -> dict[str, str]:
    return {task: destination.name for destination in destinations for task in destination.tasks}
