"""Reading how the house stands: what is counted, how full shows are, what is held now, what became of holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection

from boxoffice.sales.asked import Asked

# Asked before the figures are read: what has no mark now is in them. A small table.
AS_OF = """
    SELECT jobs_now(), min(at), count(DISTINCT show_id) FROM boxoffice_saleschange
     WHERE %(show_ids)s::bigint[] IS NULL OR show_id = ANY(%(show_ids)s::bigint[])
"""
# One row for each tier. By the foreign key's index.
SEATS = """
    SELECT seats.show_id, tier.id, tier.name, seats.total, seats.sold, seats.blocked
      FROM boxoffice_tierseats AS seats JOIN inventory_pricetier AS tier ON tier.id = seats.tier_id
     WHERE seats.show_id = ANY(%(show_ids)s::bigint[])
     ORDER BY seats.show_id, tier.position, tier.id
"""
# Now, and not as of the count. By hold_active_by_expiry.
IN_FLIGHT = """
    SELECT hold.show_id, count(*), sum(cardinality(hold.seat_ids)), count(o.id)
      FROM inventory_hold AS hold LEFT JOIN boxoffice_order AS o ON o.hold_id = hold.id
     WHERE hold.status = 'active' AND hold.expires_at > jobs_now()
       AND (%(show_ids)s::bigint[] IS NULL OR hold.show_id = ANY(%(show_ids)s::bigint[]))
     GROUP BY hold.show_id
"""
# By sales_day_by_day.
CONVERSION = """
    SELECT day, sum(holds), sum(orders), sum(paid) FROM boxoffice_salesday
     WHERE day BETWEEN %(first)s AND %(last)s
       AND (%(show_ids)s::bigint[] IS NULL OR show_id = ANY(%(show_ids)s::bigint[]))
     GROUP BY day ORDER BY day
"""


@dataclass(frozen=True)
class AsOf:
    """Whatever happened before ``complete_until`` is in the figures. waiting: of shows that are to be counted."""

    now: datetime
    complete_until: datetime
    waiting: int


@dataclass(frozen=True)
class Seats:
    """How the seats of a show, or of one of its tiers, stand."""

    name: str
    total: int = 0
    sold: int = 0
    blocked: int = 0

    @property
    def sellable(self) -> int:
        """All but those put aside."""
        return self.total - self.blocked


@dataclass(frozen=True)
class InFlight:
    """Holds that are open now. buying: of them, those that somebody has placed an order by."""

    holds: int = 0
    seats: int = 0
    buying: int = 0


@dataclass(frozen=True)
class Conversion:
    """What became of the holds begun on a day, or in all."""

    holds: int = 0
    orders: int = 0
    paid: int = 0


def read_as_of(*, show_ids: Sequence[int] | None) -> AsOf:
    """How far these shows are counted. One query."""
    with connection.cursor() as cursor:
        cursor.execute(AS_OF, {"show_ids": _listed(show_ids)})
        now, oldest, waiting = cursor.fetchone()
    return AsOf(now=now, complete_until=oldest or now, waiting=waiting)


def read_seats(*, show_ids: Sequence[int]) -> dict[int, list[Seats]]:
    """The tiers of each show, in their order. One query."""
    found: dict[int, list[Seats]] = {}
    with connection.cursor() as cursor:
        cursor.execute(SEATS, {"show_ids": list(show_ids)})
        for show_id, _tier_id, name, total, sold, blocked in cursor.fetchall():
            found.setdefault(show_id, []).append(Seats(name, total, sold, blocked))
    return found


def read_in_flight(*, show_ids: Sequence[int] | None) -> dict[int, InFlight]:
    """What is held now, by show. One query."""
    with connection.cursor() as cursor:
        cursor.execute(IN_FLIGHT, {"show_ids": _listed(show_ids)})
        return {show_id: InFlight(holds, int(seats), buying) for show_id, holds, seats, buying in cursor.fetchall()}


def read_conversion(*, asked: Asked, show_ids: Sequence[int] | None) -> dict[date, Conversion]:
    """By day. One query."""
    values = {"first": asked.first, "last": asked.last, "show_ids": _listed(show_ids)}
    with connection.cursor() as cursor:
        cursor.execute(CONVERSION, values)
        return {day: Conversion(int(holds), int(orders), int(paid)) for day, holds, orders, paid in cursor.fetchall()}


def _listed(show_ids: Sequence[int] | None) -> list[int] | None:
    return None if show_ids is None else list(show_ids)
