"""What it costs a rush on one show that its free seats are counted for the list: ``make bench-availability``.

Ours appends a mark with the change and asks for the count after the commit. The peer is the plain way, which enqueues
the count by its unique key in the transaction that takes the seats: every sale of the show then waits for the commit of
the one before it, and the last one longest. Beside both stands the same without any counting; ``kept`` is the share of
its rate that ours keeps. A thread
counts the show once in a second, as a worker would. After each round the tables are read as ``bench.holds`` does, and
the count must be right after one more run. Rounds alternate, each on a new show in a database of its own.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from threading import Event, Thread

from django.db import connection, transaction

from bench.hall import show_on_sale
from bench.holds import choices_of, hold_under_row_locks
from bench.report import report, say
from bench.rush import Rush, rush
from bench.scratch_database import scratch_database
from inventory import transitions
from inventory.ask_for_count import ask_for_count
from inventory.count_free_seats import count_free_seats
from inventory.models import Availability, Seat
from jobs.clock import database_now
from jobs.enqueue import enqueue

# Where the plain way is as quick, ours is not worth its table.
TARGET = 1.1

UNMARKED = """
    WITH changed AS (
        UPDATE inventory_seat
           SET status = 'held', hold_id = %(hold_id)s, version = version + 1
         WHERE id = ANY(%(seat_ids)s::bigint[]) AND show_id = %(show_id)s AND status = 'available'
        RETURNING show_id
    )
    SELECT show_id, count(*) FROM changed GROUP BY show_id
"""
CLAIM = "UPDATE jobs_job SET state = 'done' WHERE task = 'inventory.count_free_seats' AND state = 'waiting'"

Ask = Callable[..., None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the figures are good enough and nothing went wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.availability", description="A rush, and the count for it.")
    parser.add_argument("--fans", type=int, default=5000)
    parser.add_argument("--seats", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with scratch_database(name="availability"):
        return 0 if _compare(**vars(options)) else 1


def enqueue_at_once(*, show_ids: Iterable[int]) -> None:
    """The plain way: part of the transaction that takes the seats, and joined by everybody's."""
    for show_id in show_ids:
        enqueue(
            task="inventory.count_free_seats",
            args={"show_id": show_id},
            unique_key=f"availability:{show_id}",
            available_at=database_now(),
        )


def ask_nobody(*, show_ids: Iterable[int]) -> None:
    """No counting at all."""


WAYS: dict[str, tuple[str, Ask]] = {
    "ours": (transitions.TAKE_SEATS, ask_for_count),
    "peer": (UNMARKED, enqueue_at_once),
    "without": (UNMARKED, ask_nobody),
}


def _compare(*, fans: int, seats: int, threads: int, rounds: int) -> bool:
    results: dict[str, list[Rush]] = {name: [] for name in WAYS}
    flaws: list[str] = []
    for number in range(rounds):
        names = list(WAYS)
        # They take turns at going first as well.
        for name in names[number % 3 :] + names[: number % 3]:
            show = show_on_sale(seats=seats)
            choices = choices_of(show, fans=fans, seed=number)
            with _way(name), _counting(show.pk):
                result = rush(hold_under_row_locks, show_id=show.pk, choices=choices, threads=threads)
            results[name].append(result)
            flaws += [flaw for flaw in (result.flaw, _wrong_count(show.pk)) if flaw and name == "ours"]
            say(f"round {number + 1}, {name}: {result}")
    rates = {name: median(result.attempts_per_second for result in rounds) for name, rounds in results.items()}
    return report(
        bench="availability",
        ours=[result.p99_ms for result in results["ours"]],
        peer=[result.p99_ms for result in results["peer"]],
        peer_name="enqueue by unique key in the transaction",
        unit="ms, p99",
        lower_is_better=True,
        target=TARGET,
        sound=not flaws,
        p99_ms_without=round(median(result.p99_ms for result in results["without"])),
        kept=round(rates["ours"] / rates["without"], 3),
        **{f"{name}_attempts_per_second": round(rate) for name, rate in rates.items()},
        fans=fans,
        seats=seats,
        threads=threads,
        flaws=flaws,
    )


@contextmanager
def _way(name: str) -> Iterator[None]:
    names = ("TAKE_SEATS", "ask_for_count")
    before = [getattr(transitions, each) for each in names]
    try:
        for each, value in zip(names, WAYS[name], strict=True):
            setattr(transitions, each, value)
        yield
    finally:
        for each, value in zip(names, before, strict=True):
            setattr(transitions, each, value)


@contextmanager
def _counting(show_id: int) -> Iterator[None]:
    """Counts the show every second while the block runs, and ends the job that waits for it, if there is one."""
    over = Event()

    def run() -> None:
        try:
            while not over.wait(1.0):
                with connection.cursor() as cursor:
                    cursor.execute(CLAIM)
                with transaction.atomic():
                    count_free_seats(show_id=show_id)
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(600)


def _wrong_count(show_id: int) -> str:
    with transaction.atomic():
        count_free_seats(show_id=show_id)
    free = Seat.objects.filter(show_id=show_id, status="available").count()
    counted = Availability.objects.get(pk=show_id).free
    return "" if counted == free else f"{counted} seats are counted, {free} are free"


if __name__ == "__main__":
    sys.exit(main())
