"""Say a word before a choice leaves single seats alone. See lone_seats for which these are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import NamedTuple

from django.db import connection

from inventory.errors import LeavesLoneSeats
from inventory.lone_seats import Spot, lone_seats
from inventory.models import Seat

# The whole rows of the chosen seats, in the order of the plan; standing places have no neighbours. Free is meant as in
# conditions.seat_is_free. By the primary key, seat_guid_once_per_show and hold_active_by_expiry.
ROWS_OF_CHOSEN_SEATS = """
    WITH lapsed AS MATERIALIZED (
        SELECT id FROM inventory_hold WHERE status = 'active' AND expires_at <= jobs_now()
    ), chosen AS MATERIALIZED (
        SELECT DISTINCT zone, "row" FROM inventory_seat
         WHERE id = ANY(%(seat_ids)s::bigint[]) AND show_id = %(show_id)s AND btrim(number) <> ''
    )
    SELECT seat.id, seat.zone, seat."row", seat.number, seat.x, seat.y, tier.wheelchair,
           seat.status = 'available' OR seat.status = 'held' AND seat.hold_id IN (SELECT id FROM lapsed) AS is_free
      FROM chosen
      JOIN inventory_seat AS seat
        ON seat.zone = chosen.zone AND seat."row" = chosen."row" AND seat.show_id = %(show_id)s
      JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
     ORDER BY seat.position
"""


class _Neighbour(NamedTuple):
    id: int
    zone: str
    row: str
    number: str
    x: float
    y: float
    wheelchair: bool
    is_free: bool


def spare_lone_seats(*, show_id: int, seat_ids: Sequence[int], own_seat_ids: Collection[int] = ()) -> None:
    """Passes for a choice that leaves no seat alone, and for one that cannot be had anyway. One query.

    own_seat_ids: what the fan holds already and gives back when he holds this choice. It is a courtesy, not a rule of
    the house: what others take a moment later is not foreseen. Raises LeavesLoneSeats, which names them.
    """
    chosen, own = set(seat_ids), set(own_seat_ids)
    lone: list[_Neighbour] = []
    for _row, group in groupby(_rows(show_id, seat_ids), key=lambda seat: (seat.zone, seat.row)):
        seats = list(group)
        if any(seat.id in chosen and not seat.is_free and seat.id not in own for seat in seats):
            return
        lone += [seats[index] for index in lone_seats([_spot(seat, chosen, own) for seat in seats])]
    if lone:
        raise LeavesLoneSeats(seat_ids=[seat.id for seat in lone], labels=[_label(seat) for seat in lone])


def _rows(show_id: int, seat_ids: Sequence[int]) -> list[_Neighbour]:
    with connection.cursor() as cursor:
        cursor.execute(ROWS_OF_CHOSEN_SEATS, {"show_id": show_id, "seat_ids": list(seat_ids)})
        return [_Neighbour._make(row) for row in cursor.fetchall()]


def _spot(seat: _Neighbour, chosen: set[int], own: set[int]) -> Spot:
    if seat.wheelchair or not (seat.is_free or seat.id in own):
        return Spot(seat.x, seat.y, "taken")
    return Spot(seat.x, seat.y, "chosen" if seat.id in chosen else "free")


def _label(seat: _Neighbour) -> str:
    return Seat(zone=seat.zone, row=seat.row, number=seat.number).label
