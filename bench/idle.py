"""What a long transaction elsewhere costs the engine: ``make bench-idle``.

A transaction that stays open keeps PostgreSQL from forgetting dead rows, and a queue makes one with every step of
every job: whoever reads the queue reads past them, in the table and in its indexes. Each round takes jobs through the
engine's own statements (mark, claim, done) in a fresh ledger; in every second one somebody holds a snapshot open that
is older than all of it. ``--jobs`` makes the rounds longer, and with them the heap of dead rows.

Compared are jobs in a second of processor time, of this process and its session together, so that whatever else runs
on the machine counts for little; the time on the wall stands beside it.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from statistics import median

from django.db import connection

from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from jobs import transitions
from jobs.session import Backend, engine_session
from jobs.wakeup import plain_connection

TARGET = 0.9
QUEUE = "default"
BATCH = 500
LEASE_SECONDS = 75

FILL = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, available_at)
    SELECT 'bench.nothing', '{}', %(queue)s, number %% 10, '', '', jobs_now() - number * interval '1 ms'
    FROM generate_series(1, %(jobs)s) AS number
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the engine keeps nine tenths of its speed."""
    parser = argparse.ArgumentParser(prog="python -m bench.idle", description="A long transaction elsewhere.")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    rates: dict[str, list[float]] = {"held": [], "free": []}
    on_the_wall: dict[str, list[float]] = {"held": [], "free": []}
    slowest: dict[str, list[float]] = {"held": [], "free": []}
    with scratch_database(name="idle"):
        for number in range(options.rounds):
            for name in ("held", "free") if number % 2 else ("free", "held"):
                rate, wall, marks = _round(jobs=options.jobs, held=name == "held")
                rates[name].append(rate)
                on_the_wall[name].append(wall)
                slowest[name].append(median(marks[-5:]))
                say(f"round {number + 1}, {name}: {rate:.0f} jobs/s of processor time, {wall:.0f} on the wall")
        connection.close()
    good = report(
        bench="idle",
        ours=rates["held"],
        peer=rates["free"],
        peer_name="the same without a transaction held open",
        unit="jobs/s of processor time",
        target=TARGET,
        jobs=options.jobs,
        on_the_wall=round(median(on_the_wall["held"])),
        peer_on_the_wall=round(median(on_the_wall["free"])),
        last_mark_ms=round(median(slowest["held"]), 1),
        peer_last_mark_ms=round(median(slowest["free"]), 1),
    )
    return 0 if good else 1


def _round(*, jobs: int, held: bool) -> tuple[float, float, list[float]]:
    """Jobs in a second of processor time and on the wall, and the milliseconds that each batch took to be marked."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE jobs_job")
        cursor.execute(FILL, {"queue": QUEUE, "jobs": jobs})
        cursor.execute("VACUUM ANALYZE jobs_job")
    backend = engine_session("default")
    marks: list[float] = []
    with _snapshot_held_open() if held else nullcontext():
        assert backend.pid is not None
        pids = [os.getpid(), backend.pid]
        started, used = time.perf_counter(), processor_ms(pids)
        ended = 0
        while ended < jobs:
            ended += _batch(backend, marks)
        wall, used = time.perf_counter() - started, processor_ms(pids) - used
        return jobs * 1000 / used, jobs / wall, marks


def _batch(backend: Backend, marks: list[float]) -> int:
    started = time.perf_counter()
    marked = transitions.mark_due(using="default", queue=QUEUE, window=5000, batch=BATCH, owed=BATCH // 11)
    marks.append((time.perf_counter() - started) * 1000)
    for message in marked.messages:
        claim = transitions.claim(
            using="default", job_id=message.job_id, task=message.task, worker="bench", backend=backend,
            lease_seconds=LEASE_SECONDS, durable=False,
        )  # fmt: skip
        if claim is None or not transitions.mark_done(using="default", job_id=claim.job_id, token=claim.token):
            raise AssertionError(f"job {message.job_id} could not be taken to its end")
    return len(marked.messages)


@contextmanager
def _snapshot_held_open() -> Iterator[None]:
    """A transaction that has read something and then does nothing, as a report or a forgotten console does."""
    with plain_connection("default") as idle:
        idle.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        idle.execute("SELECT count(*) FROM jobs_job")
        yield
        idle.execute("ROLLBACK")


if __name__ == "__main__":
    sys.exit(main())
