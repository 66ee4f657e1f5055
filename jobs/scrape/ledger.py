"""Gauges that are read from the ledger when somebody scrapes: queues, workers, pauses, breakers, schedules.

Guarantee: a database that does not answer, or not in time, makes ``jobs_ledger_up`` 0, and no error; so that scrapes do
not pile up in it. The age of the oldest due job is right even where no relay runs that would measure it: then the
scrape looks at the jobs itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections, transaction
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from jobs.flow.heartbeats import heartbeats, is_alive
from jobs.flow.lanes import oldest_by_lane
from jobs.flow.load import COUNTED, MANY, Load, current_load, measure
from jobs.models import Breaker, DeadLetter, Heartbeat, Pause
from jobs.queues import all_pools, all_queues
from jobs.scrape.gauges import GAUGES
from jobs.scrape.schedules import Sample, samples_of_schedules
from jobs.session import run

log = structlog.get_logger(__name__)

# For the transaction alone, as a pooler's strangers must not keep it. Less than a scraper waits, ten seconds.
NOT_FOR_LONG = "SELECT set_config('statement_timeout', '4s', true)"


class LedgerCollector(Collector):
    """The gauges of every database. One scrape costs nine queries of a few rows for each, seven without schedules."""

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
        with transaction.atomic(using=database):
            run(database, NOT_FOR_LONG, {})
            return [
                ("jobs_ledger_up", (), 1),
                *_of_queues(database),
                *_of_processes(database),
                *_of_what_is_held(database),
                *samples_of_schedules(using=database),
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
    for lane, seconds in oldest_by_lane(using=database).items():
        yield "jobs_oldest_due_by_destination_seconds", lane, seconds
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
    yield "jobs_relays", (), sum(process.kind == Heartbeat.Kind.RELAY for process in alive)
    if database == DEFAULT_DB_ALIAS:
        yield "jobs_scheduler_beats", (), sum(process.kind == Heartbeat.Kind.BEAT for process in alive)
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
