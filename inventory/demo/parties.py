"""Seats the parties of a demo show, thousands at once: some have bought, and some are choosing just now.

For a show that is being made, which nobody else has seen yet: whoever calls this counts its free seats afterwards. The
states are those that fans take seats through, in one statement for each step instead of some for each party.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from random import Random
from statistics import mean

from django.db import connection

from inventory.expire_hold import enqueue_expiry
from inventory.models import Hold, Seat, Show

PARTIES = (1, 2, 2, 2, 3, 4)
# Never one: nobody likes to sit alone between others, and few houses sell so.
GAPS = (2, 3, 4)

# One party in so many has not bought yet.
STILL_CHOOSING = 25
# Fans have ten minutes. In the demo's halls seats come free for two hours, so that there is something to see.
CHOOSING_FROM = timedelta(minutes=5)
CHOOSING_UNTIL = timedelta(hours=2)

# available → held. By primary key.
TAKE_SEATS = """
    UPDATE inventory_seat AS seat SET status = 'held', hold_id = chosen.hold_id, version = seat.version + 1
      FROM unnest(%(seat_ids)s::bigint[], %(hold_ids)s::bigint[]) AS chosen (seat_id, hold_id)
     WHERE seat.id = chosen.seat_id AND seat.show_id = %(show_id)s AND seat.status = 'available'
"""

# held → sold, for the seats of confirmed holds. By the holds' show and seat_by_hold.
SELL_SEATS = """
    UPDATE inventory_seat AS seat SET status = 'sold', version = seat.version + 1
      FROM inventory_hold AS hold
     WHERE hold.show_id = %(show_id)s AND hold.status = 'confirmed'
       AND seat.hold_id = hold.id AND seat.status = 'held'
"""


def seat_parties(*, show: Show, now: datetime, share: float = 1.0, leave: int = 0, choosing: bool = False) -> int:
    """Take about ``share`` of the show's seats, between 0 and 1; returns how many. Part of the caller's transaction.

    The same seats each time for a title. leave: the last so many seats of the plan stay free. choosing: some of the
    parties have not bought yet. now: the database's. Raises ValueError when a seat was not free.
    """
    chance = Random(show.title)  # noqa: S311 - a demo, not a secret
    in_plan = Seat.objects.filter(show=show).order_by("position")
    seats = list(in_plan.values_list("id", "zone", "row", "tier__price"))
    prices = {seat_id: price for seat_id, _zone, _row, price in seats}
    places = seats[: len(seats) - leave]
    rows = [[seat[0] for seat in row] for _, row in groupby(places, key=lambda seat: seat[1:3])]
    holds = Hold.objects.bulk_create(
        _hold(show, party, prices, still_choosing=choosing and nth % STILL_CHOOSING == 0, ends=_end(now, chance))
        for nth, party in enumerate(choose_parties(rows, share=share, chance=chance), start=1)
    )
    taken = [(seat_id, hold.pk) for hold in holds for seat_id in hold.seat_ids]
    seat_ids, hold_ids = map(list, zip(*taken, strict=True)) if taken else ([], [])
    with connection.cursor() as cursor:
        cursor.execute(TAKE_SEATS, {"show_id": show.pk, "seat_ids": seat_ids, "hold_ids": hold_ids})
        if cursor.rowcount != len(taken):
            raise ValueError(f"{show.title} has been sold from already.")
        cursor.execute(SELL_SEATS, {"show_id": show.pk})
    for hold in holds:
        if hold.status == Hold.Status.ACTIVE:
            enqueue_expiry(hold_id=hold.pk, expires_at=hold.expires_at)
    return len(taken)


def choose_parties(rows: Sequence[Sequence[int]], *, share: float, chance: Random) -> Iterator[Sequence[int]]:
    """Groups of neighbours in these rows, about ``share`` of all; no single seat is left between them. Pure."""
    party, gap = mean(PARTIES), mean(GAPS)
    # How often a party comes, so that it takes its share, since gaps are wider than parties.
    often = share * gap / (party + share * (gap - party))
    for row in rows:
        start = 0
        while start < len(row):
            comes = chance.random() < often
            end = min(start + chance.choice(PARTIES if comes else GAPS), len(row))
            if end == len(row) - 1:
                end += 1
            if comes:
                yield row[start:end]
            start = end


def _hold(show: Show, party: Sequence[int], prices: dict[int, int], *, still_choosing: bool, ends: datetime) -> Hold:
    return Hold(
        show=show,
        seat_ids=list(party),
        prices=[prices[seat_id] for seat_id in party],
        currency=show.currency,
        status=Hold.Status.ACTIVE if still_choosing else Hold.Status.CONFIRMED,
        expires_at=ends,
    )


def _end(now: datetime, chance: Random) -> datetime:
    return now + chance.uniform(0, 1) * (CHOOSING_UNTIL - CHOOSING_FROM) + CHOOSING_FROM
