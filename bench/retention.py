"""Whether the ledger stays as small as what it keeps: ``make bench-retention``.

A day's worth of jobs goes through the engine's own statements, in fast time: enqueued, marked, claimed, done, and moved
to the history 48 hours later. The database's clock runs ahead so that a fifth of the jobs is kept at any time; removal
runs beside, in a thread with a session of its own. Autovacuum looks once a minute, which in fast time would be twice a
run; in its place the bench vacuums whenever autovacuum would, by the table's own settings. The size is that of the
table with its indexes; it must level off: the peer is the size after the second fifth, when the first jobs have gone.

The second line is what marking costs meanwhile: batches with removal beside them, and without, in turns.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median, quantiles

import psycopg
from django.conf import settings
from django.db import connection, connections, transaction

from bench.report import report, say
from bench.scratch_database import scratch_database
from jobs import wakeup
from jobs.enqueue_many import enqueue_many
from jobs.history.retire import KEPT_HOURS, Retirement, count_due
from jobs.new_job import NewJob
from jobs.session import engine_session, run
from jobs.transitions import CLAIM, DONE, mark_due
from jobs.wakeup import plain_connection

TASK = "tickets.issue_tickets"
CHUNK = 1000
FIFTHS = 5
SIZE_TARGET = 0.77
"""Of the size then: at most 1.3 times as large at the end."""
MARK_TARGET = 0.67
"""Removal beside it may make a mark half as long again: on two cores it takes one of them while it runs."""
BUSY_PAUSE_SECONDS = 0.02
"""Between batches, when removal runs beside marks: fifty times as often as a relay would."""

MOVE_CLOCK = """
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT statement_timestamp() + interval ''{seconds} seconds'''
"""
SIZE = "SELECT pg_total_relation_size('jobs_job') / 1048576.0"
INDEX_SIZE = "SELECT pg_indexes_size('jobs_job') / 1048576.0"
DEAD_ROWS = "SELECT pg_stat_get_dead_tuples('jobs_job'::regclass), pg_stat_get_live_tuples('jobs_job'::regclass)"
FLUSH_STATISTICS = "SELECT pg_stat_force_next_flush()"
OPTIONS = """
    SELECT option_name, option_value::float8 FROM pg_class, pg_options_to_table(reloptions)
    WHERE oid = 'jobs_job'::regclass
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the size levels off and marks do not suffer."""
    parser = argparse.ArgumentParser(prog="python -m bench.retention", description="Removal of ended jobs.")
    parser.add_argument("--jobs", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=10, help="of marks, with and without removal")
    parser.add_argument("--set", metavar="OPTIONS", help="storage of the table, such as: fillfactor = 100")
    options = parser.parse_args(arguments)
    with scratch_database(name="retention"):
        engine_session("default")
        if options.set:
            run("default", f"ALTER TABLE jobs_job SET ({options.set})", {})
        day = Day(jobs=options.jobs)
        try:
            levels_off = day.report_sizes()
            marks = report_marks(day, rounds=options.rounds)
        finally:
            day.close()
            wakeup.close()  # a database in use cannot be dropped
            connection.close()
    return 0 if levels_off and marks else 1


class Day:
    """The jobs of a day, and what the database holds of them."""

    def __init__(self, *, jobs: int) -> None:
        self.jobs = jobs
        self.ahead = 0.0
        self.batch_ms: list[float] = []
        self.moved = 0
        self.vacuums = 0
        self.plain = plain_connection("default")
        self.plain.autocommit = True
        self.options = dict(self.plain.execute(OPTIONS).fetchall())

    def report_sizes(self) -> bool:
        """Run the day, and say how large the table was after each fifth."""
        sizes, indexes, dead = [], [], []
        began = time.monotonic()
        with self.removal():
            for _ in range(FIFTHS):
                for _ in range(self.jobs // FIFTHS // CHUNK):
                    self.run_chunk()
                self.wait_for_removal()
                sizes.append(self._figure(SIZE))
                indexes.append(self._figure(INDEX_SIZE))
                dead.append(self._rows()[0])
                say(f"{time.monotonic() - began:.0f} s: {sizes[-1]:.0f} MB, {dead[-1]} dead rows, {self.moved} moved")
        return report(
            bench="retention size",
            ours=sizes[-1:],
            peer=sizes[1:2],
            peer_name="the same after two fifths of the jobs",
            unit="MB",
            target=SIZE_TARGET,
            lower_is_better=True,
            sound=self.moved >= self.jobs * (FIFTHS - 1) // FIFTHS - CHUNK,
            jobs=self.jobs,
            moved=self.moved,
            sizes=[round(size) for size in sizes],
            indexes=[round(size) for size in indexes],
            dead_rows=dead,
            vacuums=self.vacuums,
            batch_ms={"median": round(median(self.batch_ms), 1), "longest": round(max(self.batch_ms), 1)},
        )

    def run_chunk(self) -> list[float]:
        """A thousand jobs from enqueue to done; the clock then moves on. Returns the milliseconds of each mark."""
        with transaction.atomic():
            enqueue_many(NewJob(task=TASK, args={"order_id": n}, subject=f"order:{n}") for n in range(CHUNK))
        marks = []
        while True:
            began = time.perf_counter()
            marked = mark_due(using="default", queue=settings.LEDGER_TASKS[TASK], window=5000, batch=500).messages
            if not marked:
                break
            marks.append((time.perf_counter() - began) * 1000)
            self._work_off([message.job_id for message in marked])
        self.ahead += KEPT_HOURS * 3600 * CHUNK * FIFTHS / self.jobs
        run("default", MOVE_CLOCK.format(seconds=self.ahead), {})
        self._vacuum_if_due()
        return marks

    def _work_off(self, ids: Sequence[int]) -> None:
        """Claim and end each, through a pipeline instead of many workers."""
        raw = connection.connection
        claim = {"task": TASK, "lease": 60, "worker": "bench", "pid": 1, "start": None, "commit": "off"}
        with raw.pipeline(), psycopg.Cursor(raw) as cursor:
            for job_id in ids:
                cursor.execute(CLAIM, {**claim, "id": job_id}, prepare=True)
                cursor.execute(DONE, {"id": job_id, "token": 1}, prepare=True)

    @contextmanager
    def removal(self, *, pause: float = 0.0) -> Iterator[None]:
        """Batches in a thread, as in a relay of their own, until the block ends."""
        stop = threading.Event()
        thread = threading.Thread(target=self._remove, args=(stop, pause), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(60)

    def _remove(self, stop: threading.Event, pause: float) -> None:
        engine_session("default")
        retirement = Retirement()
        try:
            while not stop.is_set():
                began = time.perf_counter()
                moved = retirement.retire_batch()
                if moved:
                    self.batch_ms.append((time.perf_counter() - began) * 1000)
                    self.moved += moved
                stop.wait(pause if moved else 0.02)
        finally:
            connections["default"].close()

    def wait_for_removal(self) -> None:
        """Until nothing is due."""
        deadline = time.monotonic() + 120
        while count_due():
            if time.monotonic() > deadline:
                raise AssertionError("Removal does not keep up.")
            time.sleep(0.05)

    def _vacuum_if_due(self) -> None:
        dead, live = self._rows()
        scale = self.options["autovacuum_vacuum_scale_factor"]
        if dead > self.options["autovacuum_vacuum_threshold"] + scale * live:
            self.plain.execute("VACUUM jobs_job")
            self.vacuums += 1

    def _rows(self) -> tuple[int, int]:
        run("default", FLUSH_STATISTICS, {})
        dead, live = self.plain.execute(DEAD_ROWS).fetchone()  # type: ignore[misc]
        return dead, live

    def _figure(self, statement: str) -> float:
        (figure,) = self.plain.execute(statement).fetchone()  # type: ignore[misc]
        return float(figure)

    def close(self) -> None:
        self.plain.close()


def report_marks(day: Day, *, rounds: int) -> bool:
    """Marks with removal beside them and without, in turns."""
    beside: list[float] = []
    alone: list[float] = []
    for _ in range(rounds):
        alone += day.run_chunk() + day.run_chunk()
        with day.removal(pause=BUSY_PAUSE_SECONDS):
            beside += day.run_chunk() + day.run_chunk()
    return report(
        bench="retention marks",
        ours=beside,
        peer=alone,
        peer_name="without removal",
        unit="ms",
        target=MARK_TARGET,
        lower_is_better=True,
        p90={"ours": round(quantiles(beside, n=10)[-1], 1), "peer": round(quantiles(alone, n=10)[-1], 1)},
    )


if __name__ == "__main__":
    sys.exit(main())
