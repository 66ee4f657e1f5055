"""Gauges that are read from the ledger when somebody scrapes: queues, workers, pauses, breakers.

Guarantee: a database that does not answer makes ``jobs_ledger_up`` 0, and no error. The age of the oldest due job is
right even where no relay runs that would measure it: then the scrape looks at the jobs itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import structlog
from django.db import DatabaseError, InterfaceError, connections
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from jobs.flow.heartbeats import heartbeats, is_alive
from jobs.flow.load import COUNTED, MANY, Load, current_load, measure
from jobs.models import Breaker, DeadLetter, Heartbeat, Pause
from jobs.queues import all_pools, all_queues

log = structlog.get_logger(__name__)

GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs_ledger_up": ("1 while the database answers.", ()),
    "jobs_load_stale": ("1 while no relay has measured the queues for 15 s.", ()),
    "jobs_oldest_due_seconds": ("How long the oldest job has been due that has not started.", ("queue",)),
    "jobs_promise_seconds": ("The age within which a queue's due jobs start.", ("queue",)),
    "jobs_in_state": ("Jobs, counted up to 50,000 or 10,000; done ones are not counted.", ("queue", "state")),
    "jobs_drain_per_second": ("Jobs that a queue's workers start each second while there are any.", ("queue",)),
    "jobs_workers": ("Live workers of a pool.", ("pool",)),
    "jobs_queue_workers": ("Live workers that consume a queue.", ("queue",)),
    "jobs_queue_processes": ("Processes of the live workers that consume a queue.", ("queue",)),
    "jobs_relays": ("Live relays.", ()),
    "jobs_paused": ("1 for each queue or destination that somebody has paused.", ("kind", "name")),
    "jobs_breaker": ("1 for the state that a destination's breaker is in, 0 for the others.", ("destination", "state")),
    "jobs_dead_letters_kept": ("Messages that nobody knew and nobody has discarded.", ()),
}
"""Name: help, labels. Each has the label ``database`` as well."""

Sample = tuple[str, tuple[str, ...], float]


class LedgerCollector(Collector):
    """The gauges of every database. One scrape costs six queries of a few rows for each."""

    def describe(self) -> Iterable[Metric]:
        """Nothing: a registry would otherwise scrape when it is made."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Read them."""
        families = {
            name: GaugeMetricFamily(name, purpose, labels=("database", *labels))
            for name, (purpose, labels) in GAUGES.items()
        }
        for database in connections:
            for name, labels, value in _samples(database):
                families[name].add_metric((database, *labels), value)
        yield from families.values()


def _samples(database: str) -> list[Sample]:
    try:
        return [
            ("jobs_ledger_up", (), 1),
            *_of_queues(database),
            *_of_processes(database),
            *_of_what_is_held(database),
        ]
    except (DatabaseError, InterfaceError) as error:
        log.warning("ledger_not_scraped", database=database, error=type(error).__name__)
        return [("jobs_ledger_up", (), 0)]


def _of_queues(database: str) -> Iterator[Sample]:
    loads = current_load(using=database)
    is_stale = all(load.is_stale for load in loads)
    yield "jobs_load_stale", (), float(is_stale)
    for load in measure(using=database) if is_stale else loads:
        yield from _of_load(load)
    for queue in all_queues():
        yield "jobs_promise_seconds", (queue.name,), queue.promise_seconds


def _of_load(load: Load) -> Iterator[Sample]:
    yield "jobs_oldest_due_seconds", (load.queue,), load.oldest_seconds
    yield "jobs_drain_per_second", (load.queue,), load.drain_per_second
    for state in COUNTED:
        yield "jobs_in_state", (load.queue, state), getattr(load, state)


def _of_processes(database: str) -> Iterator[Sample]:
    alive = [heartbeat for heartbeat in heartbeats(using=database) if is_alive(heartbeat)]
    workers = [heartbeat for heartbeat in alive if heartbeat.kind == Heartbeat.Kind.WORKER]
    yield "jobs_relays", (), len(alive) - len(workers)
    for pool in all_pools():
        yield "jobs_workers", (pool.name,), sum(pool.name in worker.pool.split(",") for worker in workers)
    for queue in all_queues():
        consumers = [worker for worker in workers if queue.name in worker.queues]
        yield "jobs_queue_workers", (queue.name,), len(consumers)
        yield "jobs_queue_processes", (queue.name,), sum(worker.concurrency for worker in consumers)


def _of_what_is_held(database: str) -> Iterator[Sample]:
    for kind, name in Pause.objects.using(database).values_list("kind", "name"):
        yield "jobs_paused", (kind, name), 1
    for destination, current in Breaker.objects.using(database).values_list("destination", "state"):
        for state in Breaker.State.values:
            yield "jobs_breaker", (destination, state), float(state == current)
    kept = DeadLetter.objects.using(database).filter(discarded_at=None)
    yield "jobs_dead_letters_kept", (), kept[:MANY].count()
