"""How long the relay takes to mark a batch with a million rows in the ledger: ``make bench-marks``.

Of the million, most are ready, 300,000 are due tomorrow, and 50,000 stand behind others of their ordering key and would
come first by priority. The peer is the same statement with a thousand rows, so that the ratio says what the backlog
costs: 0.5 is twice the time. Each round marks a batch and rolls it back. Without gates each batch would read past
all of the 350,000.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Sequence
from statistics import median

from django.db import connection, transaction

from bench.report import report, say
from bench.scratch_database import scratch_database
from jobs.session import engine_session
from jobs.transitions import mark_due

TARGET = 0.5
QUEUE = "default"
BATCH = 500
FEW = 1_000

FILL = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, available_at, gate,
                          ordering_key, sequence)
    SELECT 'bench.nothing', '{}', %(queue)s,
           CASE kind WHEN 'blocked' THEN 0 ELSE 1 + number %% 9 END, '', '',
           CASE kind WHEN 'later' THEN jobs_now() + interval '1 day' ELSE jobs_now() - number * interval '1 ms' END,
           kind,
           CASE kind WHEN 'blocked' THEN 'order ' || number / 10 ELSE '' END,
           CASE kind WHEN 'blocked' THEN number END
    FROM (SELECT number, CASE WHEN number %% 20 = 0 THEN 'blocked' WHEN number %% 10 < 3 THEN 'later' ELSE 'ready' END
          FROM generate_series(1, %(rows)s) AS number) AS planned (number, kind)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when a million rows cost at most twice the time of a thousand."""
    parser = argparse.ArgumentParser(prog="python -m bench.marks", description="Marking with a large backlog.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    times: dict[int, list[float]] = {}
    for rows in (FEW, options.rows):
        with scratch_database(name="marks"):
            _fill(rows)
            times[rows] = [_milliseconds() for _ in range(options.rounds)]
            connection.close()
        say(f"{rows} rows: {median(times[rows]):.1f} ms")
    good = report(
        bench="marks",
        ours=times[options.rows],
        peer=times[FEW],
        peer_name="the same with 1,000 rows",
        unit="ms",
        target=TARGET,
        lower_is_better=True,
        rows=options.rows,
        batch=BATCH,
    )
    return 0 if good else 1


def _fill(rows: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"queue": QUEUE, "rows": rows})
        cursor.execute("VACUUM ANALYZE jobs_job")
    engine_session("default")


def _milliseconds() -> float:
    """One batch, marked and rolled back."""
    with transaction.atomic():
        started = time.perf_counter()
        marked = mark_due(using="default", queue=QUEUE, window=5000, batch=BATCH, owed=BATCH // 11).messages
        taken = (time.perf_counter() - started) * 1000
        transaction.set_rollback(True)
    if len(marked) != BATCH:
        raise AssertionError(f"{len(marked)} jobs were marked instead of {BATCH}")
    return taken


if __name__ == "__main__":
    sys.exit(main())
