"""Many fans for few seats at the same instant, on real PostgreSQL: ``make bench-holds``.

Each fan asks for one to four neighbouring seats; together they ask for several times what there is. Ours locks the
seats of a choice, in the order of their ids; the peer takes one advisory lock for the whole show. After each round
the tables are read: no seat is given away twice, none is lost, every fan got an answer, and nobody was refused
whose seats are still free. Rounds alternate, each on a new show in a database of its own.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
from collections.abc import Sequence
from random import Random

from django.db import connection, transaction

from bench.hall import show_on_sale
from bench.report import report, say
from bench.rush import Rush, Way, rush
from bench.scratch_database import scratch_database
from inventory import transitions
from inventory.conditions import seat_is_free
from inventory.errors import SeatsTaken
from inventory.expire_hold import enqueue_expiry
from inventory.hold_seats import HOLD_DURATION, hold_seats
from inventory.models import Hold, Seat, Show
from inventory.sale import require_on_sale

# Where one lock for the whole show is as quick, our order of locks is not worth its code.
TARGET = 1.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the figures are good enough and nothing went wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.holds", description="Many fans for few seats.")
    parser.add_argument("--fans", type=int, default=5000)
    parser.add_argument("--seats", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with scratch_database(name="holds"):
        return 0 if _compare(**vars(options)) else 1


def hold_under_row_locks(show_id: int, seat_ids: list[int]) -> Hold:
    """Ours."""
    return hold_seats(show_id=show_id, seat_ids=seat_ids)


def hold_under_one_lock(show_id: int, seat_ids: list[int]) -> Hold:
    """The plain way: everybody queues for the show, then looks, then takes."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [show_id])
        require_on_sale(show_id=show_id)
        free = Seat.objects.filter(seat_is_free(), show_id=show_id, pk__in=seat_ids).count()
        if free < len(seat_ids):
            raise SeatsTaken(["one of them"])
        hold = transitions.start_hold(show_id=show_id, seat_ids=seat_ids, duration=HOLD_DURATION)
        transitions.take_seats(hold=hold)
        enqueue_expiry(hold_id=hold.pk, expires_at=hold.expires_at)
        return hold


def _compare(*, fans: int, seats: int, threads: int, rounds: int) -> bool:
    ways: list[tuple[str, Way]] = [("ours", hold_under_row_locks), ("peer", hold_under_one_lock)]
    results: dict[str, list[Rush]] = {name: [] for name, _ in ways}
    for number in range(1, rounds + 1):
        # They take turns at going first as well.
        for name, way in ways if number % 2 else reversed(ways):
            show = show_on_sale(seats=seats)
            choices = choices_of(show, fans=fans, seed=number)
            result = rush(way, show_id=show.pk, choices=choices, threads=threads)
            results[name].append(result)
            say(f"round {number}, {name}: {result}")
    ours, peer = results["ours"], results["peer"]
    flaws = [result.flaw for result in ours if result.flaw]
    return report(
        bench="holds",
        ours=[result.attempts_per_second for result in ours],
        peer=[result.attempts_per_second for result in peer],
        peer_name="one advisory lock for the whole show",
        unit="attempts/s",
        target=TARGET,
        sound=not flaws,
        fans=fans,
        seats=seats,
        threads=threads,
        p99_ms=round(max(result.p99_ms for result in ours)),
        peer_p99_ms=round(max(result.p99_ms for result in peer)),
        flaws=flaws,
    )


def choices_of(show: Show, *, fans: int, seed: int) -> list[list[int]]:
    """Neighbouring seats anywhere in the hall, in any order, as browsers send them."""
    ids = list(show.seats.order_by("position").values_list("pk", flat=True))
    chance = Random(seed)
    choices = []
    for _ in range(fans):
        party = chance.randint(1, 4)
        start = chance.randrange(len(ids) - party + 1)
        choices.append(chance.sample(ids[start : start + party], party))
    return choices


if __name__ == "__main__":
    sys.exit(main())
