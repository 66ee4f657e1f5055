"""Waiting jobs on their way from the ledger to the broker, with nobody who takes them away: ``make bench-relay``.

Ours is the relay itself: it marks, publishes, and awaits each confirm. The peers, in turns with it on one broker and
one database: ``apply_async`` of plain Celery, which waits for the confirm of each message and keeps nothing; and
django-celery-outbox, whose better figure counts of those with one publisher and with eight. A last line tells the
relay's peak memory with a million waiting rows and with a thousand.

``cpu_ms``: CPU per job of the process that relays, which a busy machine changes less than rates. The figures that gate
are RabbitMQ's.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.outbox_settings"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from statistics import median

from django.db import connection, transaction
from kombu.connection import Connection
from kombu.exceptions import OperationalError

from bench import outbox, plain_celery
from bench.outbox_settings import BENCH_QUEUES
from bench.relay_memory import compare_memory
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import broker_name
from jobs import wakeup
from jobs.broker import open_publisher
from jobs.clock import database_now
from jobs.enqueue_many import enqueue_many
from jobs.models import Heartbeat, Job
from jobs.new_job import NewJob
from jobs.relay.loop import Relay

TIMES_CONFIRMED, TIMES_OUTBOX = 4.0, 10.0
WANTED_A_SECOND = 8000
PUBLISHERS = (1, 8)

OURS, CONFIRMED = "ours", "apply_async"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the relay is fast enough on RabbitMQ, and needs no more memory for more rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.relay", description="From the ledger to the broker.")
    parser.add_argument("--jobs", type=int, default=8000, help="of ours; the peers get an eighth")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000, help="for the line about memory; 0: no such line")
    options = parser.parse_args(arguments)
    few = options.jobs // 8
    ways: dict[str, Callable[[], Round]] = {
        OURS: partial(_relay, options.jobs),
        CONFIRMED: partial(_apply_async, few),
        **{_outbox_with(publishers): partial(_outbox, few, publishers=publishers) for publishers in PUBLISHERS},
    }
    rounds: dict[str, list[Round]] = {name: [] for name in ways}
    with scratch_database(name="relay"), ExitStack() as stack:
        stack.callback(_empty)
        _pretend_workers()
        stack.callback(wakeup.close)
        for number in range(options.rounds):
            for name in ways if number % 2 else reversed(ways):
                rounds[name].append(ways[name]())
            say(", ".join(f"{name} {measured[-1].rate:.0f}/s" for name, measured in rounds.items()))
    good = _report(rounds, jobs=options.jobs)
    if options.rows:
        good.append(compare_memory(rows=options.rows))
    return 0 if all(good) or broker_name() != "rabbitmq" else 1


@dataclass(frozen=True)
class Round:
    """rate: jobs a second. cpu_ms: CPU of this process for each."""

    rate: float
    cpu_ms: float


class Stopwatch:
    """Starts when it is made."""

    def __init__(self) -> None:
        self._began, self._used = time.perf_counter(), time.process_time()

    def stop(self, jobs: int) -> Round:
        return Round(
            rate=jobs / (time.perf_counter() - self._began), cpu_ms=1000 * (time.process_time() - self._used) / jobs
        )


def _relay(jobs: int) -> Round:
    """The relay is connected and its queues are declared before the clock starts."""
    _empty()
    relay = Relay()
    relay.run_once()
    with transaction.atomic():
        enqueue_many(_job(number) for number in range(jobs))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE jobs_job")
    watch = Stopwatch()
    published = 0
    while published < jobs:
        moved = relay.run_once()
        if not moved:
            raise AssertionError(f"the relay stopped after {published} of {jobs} jobs")
        published += moved
    measured = watch.stop(jobs)
    relay._let_go()
    _check_all_arrived(jobs)
    connection.close()  # the engine's session commits less carefully than others
    return measured


def _job(number: int) -> NewJob:
    queue = BENCH_QUEUES[number % len(BENCH_QUEUES)]
    return NewJob(task=f"bench.relayed_{queue.name}", args={"number": number}, subject=f"order:{number}")


def _check_all_arrived(jobs: int) -> None:
    """The ledger says so, and the broker too."""
    if Job.objects.filter(state="published").count() != jobs:
        raise AssertionError("not all jobs are published")
    publisher = open_publisher()
    deadline = time.monotonic() + 5
    while (ready := sum(publisher.ready_count(queue.name) for queue in BENCH_QUEUES)) != jobs:
        if time.monotonic() > deadline:
            raise AssertionError(f"the broker has {ready} of {jobs} messages")
        time.sleep(0.05)
    publisher.close()


def _apply_async(jobs: int) -> Round:
    _empty()
    plain_celery.nothing.apply_async((0,))  # connects
    watch = Stopwatch()
    for number in range(jobs):
        plain_celery.nothing.apply_async((number,))
    return watch.stop(jobs)


def _outbox(jobs: int, *, publishers: int) -> Round:
    _empty()
    _outbox_rows(4 * publishers)
    outbox.relay_all(publishers=publishers)  # connects
    _outbox_rows(jobs)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE celery_outbox")
    watch = Stopwatch()
    outbox.relay_all(publishers=publishers)
    return watch.stop(jobs)


def _outbox_rows(jobs: int) -> None:
    with transaction.atomic():
        for number in range(jobs):
            outbox.nothing.delay(number)


def _outbox_with(publishers: int) -> str:
    return f"outbox with {publishers}"


def _pretend_workers() -> None:
    """The relay keeps no more at the broker than workers can use, so it has to believe that there are many of them."""
    Heartbeat.objects.create(
        name="bench",
        kind=Heartbeat.Kind.WORKER,
        queues=[queue.name for queue in BENCH_QUEUES],
        prefetch=max(queue.window for queue in BENCH_QUEUES),
        seen_at=database_now().replace(year=2100),
    )


def _empty() -> None:
    """No messages at the broker and no rows in the tables."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE jobs_job, celery_outbox")
    queues = (*plain_celery.app.conf.task_queues, *outbox.app.conf.task_queues)
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in queues:
            queue(channel).declare()
        for name in (queue.name for queue in (*queues, *BENCH_QUEUES)):
            with suppress(*broker.channel_errors, OperationalError):
                broker.channel().queue_purge(name)


def _report(rounds: dict[str, list[Round]], *, jobs: int) -> list[bool]:
    outboxes = [_outbox_with(publishers) for publishers in PUBLISHERS]
    best = max(outboxes, key=lambda name: median(measured.rate for measured in rounds[name]))
    return [
        report(
            bench="relay",
            ours=[measured.rate for measured in rounds[OURS]],
            peer=[measured.rate for measured in rounds[peer]],
            peer_name=name,
            unit="jobs/s",
            target=target,
            broker=broker_name(),
            jobs=jobs,
            wanted=WANTED_A_SECOND,
            cpu_ms=round(median(measured.cpu_ms for measured in rounds[OURS]), 3),
            peer_cpu_ms=round(median(measured.cpu_ms for measured in rounds[peer]), 3),
        )
        for peer, name, target in (
            (CONFIRMED, "apply_async of plain Celery, one confirm each", TIMES_CONFIRMED),
            (best, f"{outbox.NAME}, {best.removeprefix('outbox ')} publishers", TIMES_OUTBOX),
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
