"""Ending a hundred thousand held seats whose time is over: ``make bench-sweeper``.

Ours is the sweep under its lock, in batches of 500 holds. The peer is the loop that most projects write: for each hold
a transaction in which it is read, checked and saved, and then each of its seats. Holds have one to four neighbouring
seats and lapsed in any order. Before each run all seats are held anew and the tables are vacuumed; the peer is so slow
that it gets a part of the holds. What counts is the rate, in seats. Beside it stands what a sweep takes of the
processor, its own and PostgreSQL's, which other load does not stretch.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import Any

from django.db import connection, transaction

from bench.hall import show_on_sale
from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from inventory.expire_holds import BATCH
from inventory.models import Hold, Seat, Show
from inventory.release_expired_holds import Outcome, release_expired_holds
from jobs.clock import database_now

TARGET = 20.0
LEAST_SEATS_PER_SECOND = 20_000
SEATS_PER_SHOW = 20_000

FREE_ALL = "UPDATE inventory_seat SET status = 'available', hold_id = NULL, version = 1"
FORGET_HOLDS = "DELETE FROM inventory_hold"
FORGET_LOCK = "DELETE FROM jobs_lease"
HOLD_ALL = """
    WITH holds AS (
        INSERT INTO inventory_hold (show_id, token, seat_ids, prices, currency, status, expires_at, created_at)
        SELECT %(show_id)s, gen_random_uuid(), array_agg(seat), array_agg(0), 'EUR',
               'active', jobs_now() - random() * interval '1 minute',
               jobs_now() - interval '10 minutes'
        FROM unnest(%(seats)s::bigint[], %(parties)s::integer[]) AS given (seat, party)
        GROUP BY party
        RETURNING id, seat_ids
    )
    UPDATE inventory_seat AS seat SET status = 'held', hold_id = held.hold_id, version = 2
    FROM (SELECT id AS hold_id, unnest(seat_ids) AS seat_id FROM holds) AS held
    WHERE seat.id = held.seat_id
"""
VACUUM = "VACUUM (ANALYZE) inventory_seat, inventory_hold"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the sweep is fast enough, beside the peer and by the clock."""
    parser = argparse.ArgumentParser(prog="python -m bench.sweeper", description="Holds whose time is over.")
    parser.add_argument("--seats", type=int, default=100_000)
    parser.add_argument("--peer-holds", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with scratch_database(name="sweeper"):
        return 0 if _compare(**vars(options)) else 1


def sweep() -> int:
    """Ours; returns how many holds have ended."""
    swept = release_expired_holds()
    if swept.outcome is not Outcome.DONE:
        raise AssertionError(f"The sweep ended as {swept}.")
    return swept.expired


def one_by_one(limit: int) -> int:
    """The plain way."""
    now = database_now()
    lapsed = Hold.objects.filter(status=Hold.Status.ACTIVE, expires_at__lte=now).order_by("expires_at")
    expired = 0
    for hold_id in lapsed.values_list("pk", flat=True)[:limit]:
        with transaction.atomic():
            hold = Hold.objects.get(pk=hold_id)
            if hold.status != Hold.Status.ACTIVE or hold.expires_at > now:
                continue
            hold.status = Hold.Status.EXPIRED
            hold.save()
            for seat in hold.seats.all():
                seat.status = Seat.Status.AVAILABLE
                seat.hold = None
                seat.version += 1
                seat.save()
            expired += 1
    return expired


def _compare(*, seats: int, peer_holds: int, rounds: int) -> bool:
    shows = [show_on_sale(seats=min(SEATS_PER_SHOW, seats - start)) for start in range(0, seats, SEATS_PER_SHOW)]
    ours: list[float] = []
    peer: list[float] = []
    batches: list[float] = []
    processor: list[float] = []

    def run_ours(seed: int) -> None:
        holds = _hold_everything(shows, seed=seed)
        seconds, used_ms, freed = _measure(sweep)
        processor.append(used_ms * 1000 / seats)
        if freed != seats or Hold.objects.exclude(status=Hold.Status.EXPIRED).exists():
            raise AssertionError(f"{freed} of {seats} seats were freed")
        ours.append(freed / seconds)
        batches.append(seconds / (holds / BATCH) * 1000)

    def run_peer(seed: int) -> None:
        _hold_everything(shows, seed=seed)
        seconds, _, freed = _measure(lambda: one_by_one(peer_holds))
        peer.append(freed / seconds)

    for number in range(rounds):
        for run in (run_ours, run_peer) if number % 2 else (run_peer, run_ours):
            run(number)
        say(f"ours {ours[-1]:.0f} seats/s, peer {peer[-1]:.0f} seats/s")
    return report(
        bench="sweeper",
        ours=ours,
        peer=peer,
        peer_name="each hold and each seat saved by itself",
        unit="seats/s",
        target=TARGET,
        sound=median(ours) >= LEAST_SEATS_PER_SECOND,
        least=LEAST_SEATS_PER_SECOND,
        seats=seats,
        batch=BATCH,
        ms_per_batch=round(median(batches), 1),
        processor_us_per_seat=round(median(processor), 1),
        peer_holds=peer_holds,
    )


def _hold_everything(shows: Sequence[Show], *, seed: int) -> int:
    """Every seat belongs to a hold that has lapsed; returns how many holds there are."""
    with connection.cursor() as cursor:
        for statement in (FREE_ALL, FORGET_HOLDS, FORGET_LOCK):
            cursor.execute(statement)
        for show in shows:
            ids = list(show.seats.order_by("position").values_list("pk", flat=True))
            values: dict[str, Any] = {"show_id": show.pk, "seats": ids, "parties": _parties(len(ids), Random(seed))}
            cursor.execute(HOLD_ALL, values)
        cursor.execute(VACUUM)
    return Hold.objects.count()


def _parties(seats: int, chance: Random) -> list[int]:
    """The number of the party of each seat."""
    numbers: list[int] = []
    while len(numbers) < seats:
        numbers += [len(numbers)] * chance.randint(1, 4)
    return numbers[:seats]


def _processor_ms() -> float:
    """Of this process and its session's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    return processor_ms([os.getpid(), backend])


def _measure(way: Callable[[], object]) -> tuple[float, float, int]:
    """How many seconds it took, how much of the processor, and how many seats it freed, each by one change."""
    used, began = _processor_ms(), time.perf_counter()
    way()
    seconds, used = time.perf_counter() - began, _processor_ms() - used
    freed = Seat.objects.filter(status=Seat.Status.AVAILABLE, hold=None, version=3).count()
    if freed + Seat.objects.filter(status=Seat.Status.HELD, version=2).count() != Seat.objects.count():
        raise AssertionError("a seat was changed twice, or lost")
    return seconds, used, freed


if __name__ == "__main__":
    sys.exit(main())
