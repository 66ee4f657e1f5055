"""Thousands of jobs in one transaction: ``make bench-enqueue``.

``enqueue_many`` beside the package django-celery-outbox, which writes a row for each ``delay()``. In the second line,
without a gate, one ``enqueue`` after the other. The ways take turns in one database, with the commit counted.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.outbox_settings"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from django.db import connection, transaction

from bench import outbox
from bench.report import report, say
from bench.scratch_database import scratch_database
from jobs import wakeup
from jobs.enqueue import enqueue
from jobs.enqueue_many import enqueue_many
from jobs.new_job import NewJob

TARGET = 5.0
TASK = "bench.nothing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when many at once are fast enough beside the package."""
    parser = argparse.ArgumentParser(prog="python -m bench.enqueue", description="Many jobs in one transaction.")
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    ways: dict[str, Callable[[int], object]] = {"many": _many, "one by one": _one_by_one, "peer": _peer}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    with scratch_database(name="enqueue"):
        for way in ways.values():
            _rate(way, options.jobs // 10)  # warm
        for number in range(options.rounds):
            for name in ways if number % 2 else reversed(ways):
                rates[name].append(_rate(ways[name], options.jobs))
            say(", ".join(f"{name} {rate[-1]:.0f} jobs/s" for name, rate in rates.items()))
        wakeup.close()
    good = _report("enqueue", rates["many"], rates["peer"], target=TARGET, jobs=options.jobs)
    _report("enqueue one by one", rates["one by one"], rates["peer"], target=0, jobs=options.jobs)
    return 0 if good else 1


def _many(jobs: int) -> None:
    enqueue_many(NewJob(task=TASK, args={"number": number}) for number in range(jobs))


def _one_by_one(jobs: int) -> None:
    for number in range(jobs):
        enqueue(task=TASK, args={"number": number})


def _peer(jobs: int) -> None:
    for number in range(jobs):
        outbox.nothing.delay(number)


def _rate(way: Callable[[int], object], jobs: int) -> float:
    """Jobs a second, into empty tables."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE jobs_job, celery_outbox")
    began = time.perf_counter()
    with transaction.atomic():
        way(jobs)
    took = time.perf_counter() - began
    with connection.cursor() as cursor:
        cursor.execute("SELECT (SELECT count(*) FROM jobs_job) + (SELECT count(*) FROM celery_outbox)")
        if cursor.fetchone() != (jobs,):
            raise AssertionError("the tables do not hold what was enqueued")
    return jobs / took


def _report(bench: str, ours: list[float], peer: list[float], *, target: float, jobs: int) -> bool:
    return report(bench=bench, ours=ours, peer=peer, peer_name=outbox.NAME, unit="jobs/s", target=target, jobs=jobs)


if __name__ == "__main__":
    sys.exit(main())
