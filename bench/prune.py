"""How long the nightly forgetting keeps anybody from anything: ``make bench-prune``.

200,000 dedup keys of 400,000 are old enough. Ours goes in batches; the peer is one DELETE, as a clean-up is mostly
written (Django's ``clearsessions``, for one). What counts is how long a transaction takes, behind which an enqueue with
one of those keys, and PostgreSQL's vacuum of everything, waits: 99 of 100 batches are quicker than ours. In every
second round somebody holds a transaction open beside it, which keeps the dead rows in the way.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import quantiles

from django.db import connection

from bench.report import report
from bench.scratch_database import scratch_database
from jobs.batches import OldestFirst, in_batches
from jobs.prune import FORGET_KEYS, KEPT_KEY_DAYS
from jobs.session import count, engine_session, run
from jobs.wakeup import plain_connection

TARGET = 5.0
"""Times shorter than one DELETE."""

FILL = """
    INSERT INTO jobs_dedupkey (key, job_id, created_at)
    SELECT %(words)s || number, -number, jobs_now() - %(hours)s * interval '1 hour' + number * interval '1 ms'
      FROM generate_series(1, %(keys)s) AS number
"""
ALL_AT_ONCE = "DELETE FROM jobs_dedupkey WHERE created_at < jobs_now() - %(days)s * interval '24 hours'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the longest batch is short and all old keys are gone, and only those."""
    parser = argparse.ArgumentParser(prog="python -m bench.prune", description="Forgetting old dedup keys.")
    parser.add_argument("--keys", type=int, default=200_000, help="old ones; there are as many young ones")
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args(arguments)
    longest, at_once, in_all = [], [], []
    sound = True
    with scratch_database(name="prune"):
        engine_session("default")  # as a worker has it: a commit waits for no disk
        for nth in range(options.rounds):
            with filled(options.keys), a_long_transaction(held=nth % 2 == 1):
                times: list[float] = []
                began = time.monotonic()
                step = OldestFirst(FORGET_KEYS, {"days": KEPT_KEY_DAYS}, using="default")
                gone = in_batches(lambda: timed(step, times), until=began + 600)  # noqa: B023  (called within)
                in_all.append(time.monotonic() - began)
                longest.append(quantiles(times, n=100)[98] * 1000)
                sound = sound and gone == options.keys
            with filled(options.keys):
                times = []
                timed(lambda: count("default", ALL_AT_ONCE, {"days": KEPT_KEY_DAYS}), times)
                at_once.append(times[0] * 1000)
        connection.close()  # a database in use cannot be dropped
    seconds = [round(each, 1) for each in in_all]
    good = report(
        bench="prune", ours=longest, peer=at_once, peer_name="one DELETE", unit="ms, a transaction",
        target=TARGET, lower_is_better=True, sound=sound, keys=options.keys, seconds_in_all=seconds,
    )  # fmt: skip
    return 0 if good else 1


@contextmanager
def filled(keys: int) -> Iterator[None]:
    """As many old keys as young ones, as they stand after a vacuum."""
    run("default", "TRUNCATE jobs_dedupkey", {})
    for words, hours in (("an old reminder of order ", 24 * (KEPT_KEY_DAYS + 30)), ("a reminder of order ", 24)):
        run("default", FILL, {"words": words, "hours": hours, "keys": keys})
    run("default", "VACUUM ANALYZE jobs_dedupkey", {})
    yield


@contextmanager
def a_long_transaction(*, held: bool) -> Iterator[None]:
    """Somebody's open transaction, if ``held``, which has a snapshot of the time before."""
    if not held:
        yield
        return
    with plain_connection("default") as other, other.transaction():
        other.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        other.execute("SELECT FROM jobs_job LIMIT 1")
        yield


def timed(step: Callable[[], int], times: list[float]) -> int:
    began = time.perf_counter()
    done = step()
    times.append(time.perf_counter() - began)
    return done


if __name__ == "__main__":
    sys.exit(main())
