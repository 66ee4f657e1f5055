"""Who sits where: a show's house as it stands, part by part. All of it is read, and nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection

from inventory.models.seat import place_in_words

FREE, HELD, SOLD, IN, ASIDE = STATES = ("free", "held", "sold", "in", "aside")

# How a seat stands for whoever looks at the house: a lapsed hold keeps nobody away, and who is in is in.
_STATE = """
    CASE WHEN ticket.status = 'used' THEN 'in'
         WHEN seat.status = 'held' AND hold.expires_at <= jobs_now() THEN 'free'
         WHEN seat.status = 'available' THEN 'free'
         WHEN seat.status = 'blocked' THEN 'aside'
         ELSE seat.status END
"""

# The parts of the house in the order of the plan. By seat_guid_once_per_show, the holds' primary key and
# ticket_once_per_seat_unless_void.
ZONES = f"""
    SELECT stands.zone, array_agg(stands.state), min(stands.position) FROM (
        SELECT seat.zone, seat.position, {_STATE} AS state
          FROM inventory_seat AS seat
          LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
          LEFT JOIN tickets_ticket AS ticket ON ticket.seat_id = seat.id AND ticket.status <> 'void'
         WHERE seat.show_id = %(show_id)s) AS stands
     GROUP BY stands.zone ORDER BY min(stands.position)
"""  # noqa: S608 - a constant

_PLACE = f"""
    SELECT seat.id, seat.zone, seat.row, seat.number, tier.name, {_STATE},
           coalesce(ticket.holder_name, ''), ticket.order_id, coalesce(ticket.order_code, ''),
           coalesce(ticket.code, '')
      FROM inventory_seat AS seat
      JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
"""  # noqa: S608 - a constant

# One part of it, seat by seat. By the same.
PLACES = f"""
    {_PLACE}
      LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
      LEFT JOIN tickets_ticket AS ticket ON ticket.seat_id = seat.id AND ticket.status <> 'void'
     WHERE seat.show_id = %(show_id)s AND seat.zone = %(zone)s
     ORDER BY seat.position, seat.id
"""

# All seats that somebody has a ticket for. By the same.
TICKETED = f"""
    {_PLACE}
      JOIN tickets_ticket AS ticket ON ticket.seat_id = seat.id AND ticket.status <> 'void'
      LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
     WHERE seat.show_id = %(show_id)s
     ORDER BY seat.position, seat.id
"""

MOST_AT_ONCE = 600
"""Seats on one page: the largest part of most houses, and what a browser lays out in a moment."""


class Place(NamedTuple):
    """A seat: where it is, how it stands (one of STATES), and who has it; empty where nobody has."""

    seat_id: int
    zone: str
    row: str
    number: str
    tier: str
    state: str
    name: str
    order_id: int | None
    order_code: str
    ticket_code: str

    @property
    def label(self) -> str:
        """In words of the active language; a place without words of its own is called by its tier."""
        return place_in_words(zone=self.zone, row=self.row, number=self.number) or self.tier


@dataclass(frozen=True)
class Zone:
    """A part of the house, and how many of its seats stand how."""

    name: str
    counts: dict[str, int]

    @property
    def seats(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Row:
    """The seats of one row, in the order of the plan."""

    name: str
    places: Sequence[Place]


def zones_of(*, show_id: int) -> list[Zone]:
    """The parts of the house in the order of the plan. One query."""
    with connection.cursor() as cursor:
        cursor.execute(ZONES, {"show_id": show_id})
        rows = cursor.fetchall()
    return [Zone(name, {state: states.count(state) for state in STATES}) for name, states, _first in rows]


def places_of(*, show_id: int, zone: str) -> list[Place]:
    """The seats of one part of the house, in the order of the plan. One query."""
    return _places(PLACES, show_id=show_id, zone=zone)


def places_with_tickets(*, show_id: int) -> list[Place]:
    """All seats that somebody has a ticket for, in the order of the plan. One query."""
    return _places(TICKETED, show_id=show_id)


def rows_of(places: Sequence[Place]) -> list[Row]:
    """The same, row by row. Pure."""
    return [Row(name, list(group)) for name, group in groupby(places, key=lambda place: place.row)]


def stretches_of(places: Sequence[Place], *, most: int = MOST_AT_ONCE) -> list[list[Place]]:
    """The same in as many stretches as a page each can show, cut between rows. A longer row is cut. Pure."""
    stretches: list[list[Place]] = []
    for _row, group in groupby(places, key=lambda place: (place.zone, place.row)):
        row = list(group)
        if stretches and len(stretches[-1]) + len(row) <= most:
            stretches[-1] += row
        else:
            stretches += [row[first : first + most] for first in range(0, len(row), most)]
    return stretches


def _places(query: str, **values: Any) -> list[Place]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [Place._make(row) for row in cursor.fetchall()]
