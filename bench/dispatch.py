"""From commit to the job's first instruction, on an idle system: ``make bench-dispatch``.

One job at a time, with a pause after each, in turns: a job of the ledger, then ``delay()`` of plain Celery called by
the hook of the same commit. The clock starts when the commit has returned, before anybody is told of it. Ours takes
one step more by design (the relay reads the row and publishes), so what gates is the time itself.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.settings"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from statistics import quantiles

from django.db import transaction

from bench import plain_celery
from bench.report import report, say
from bench.system import System, broker_name, running_system
from jobs.enqueue import enqueue

LIMITS_MS = {50: 5.0, 99: 25.0}
PAUSE_SECONDS = (0.05, 0.15)
WARM = 30

_numbers = count()


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the median and the 99th percentile are within their limits."""
    parser = argparse.ArgumentParser(prog="python -m bench.dispatch", description="From commit to start.")
    parser.add_argument("--jobs", type=int, default=200, help="of each kind in each round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with running_system() as system:
        _measure(system, WARM)
        rounds = [_measure(system, options.jobs) for _ in range(options.rounds)]
    good = [_report(rounds, percent, jobs=options.jobs) for percent in LIMITS_MS]
    return 0 if all(good) else 1


def _measure(system: System, jobs: int) -> tuple[list[float], list[float]]:
    ours, plain = [], []
    for _ in range(jobs):
        ours.append(_milliseconds(system, _enqueue))
        plain.append(_milliseconds(system, _delay_after_commit))
    say(f"p50 {_percentile(ours, 50):.2f}, plain {_percentile(plain, 50):.2f} ms; "
        f"p99 {_percentile(ours, 99):.2f}, plain {_percentile(plain, 99):.2f} ms")  # fmt: skip
    return ours, plain


def _milliseconds(system: System, dispatch: Callable[[int], None]) -> float:
    committed: list[int] = []
    number = next(_numbers)
    with transaction.atomic():
        transaction.on_commit(lambda: committed.append(time.monotonic_ns()))  # the first hook of all
        dispatch(number)
    (started,) = system.starts.wait_for(range(number, number + 1), seconds=30)
    time.sleep(random.uniform(*PAUSE_SECONDS))
    return (started - committed[0]) / 1e6


def _enqueue(number: int) -> None:
    enqueue(task="bench.nothing", args={"number": number})


def _delay_after_commit(number: int) -> None:
    transaction.on_commit(lambda: plain_celery.nothing.delay(number))


def _percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _report(rounds: list[tuple[list[float], list[float]]], percent: int, *, jobs: int) -> bool:
    ours = [_percentile(ours, percent) for ours, _ in rounds]
    limit = LIMITS_MS[percent]
    return report(
        bench=f"dispatch p{percent}",
        ours=ours,
        peer=[_percentile(plain, percent) for _, plain in rounds],
        peer_name=f"{plain_celery.NAME}, after the commit",
        unit="ms",
        target=0,
        lower_is_better=True,
        sound=sorted(ours)[len(ours) // 2] <= limit,
        limit=limit,
        broker=broker_name(),
        jobs=jobs,
    )


if __name__ == "__main__":
    sys.exit(main())
