"""Putting places that have no number aside, so many of an area, and putting them back on sale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from inventory.ask_for_count import ask_for_count
from inventory.block_seats import lock_show_to_come
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import AreaHasChanged, NotEnoughPlaces
from inventory.models import Seat
from inventory.statements import rows_of
from inventory.transitions import lock_lapsed_holds, lock_seats

SPARE = 50
"""Places that are locked beyond the wanted ones: as many may be taken by fans between our look and our lock."""

# Only one at a time counts what is aside of a show and changes it. Fans never wait for it.
LOCK_ASIDE_OF_SHOW = "SELECT pg_advisory_xact_lock(hashtextextended('aside of show ' || %(show_id)s::text, 0))"

# The areas of a show, in the order of the plan: places without a number, by zone and tier. A lapsed hold keeps nobody
# away. By seat_guid_once_per_show and the primary keys.
AREAS = """
    SELECT seat.zone, seat.tier_id, tier.name, count(*),
           count(*) FILTER (WHERE seat.status = 'available'
                               OR seat.status = 'held' AND hold.expires_at <= jobs_now()),
           count(*) FILTER (WHERE seat.status = 'blocked')
      FROM inventory_seat AS seat
      JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
      LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
     WHERE seat.show_id = %(show_id)s AND btrim(seat.number) = ''
     GROUP BY seat.zone, seat.tier_id, tier.name
     ORDER BY min(seat.position)
"""

# Places that could be put aside: those that nobody has touched first, then those of lapsed holds; from the end of the
# plan, since fans who leave the choice to us are given its beginning. By the same.
FREE_PLACES = """
    SELECT seat.id, seat.hold_id
      FROM inventory_seat AS seat
      LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
     WHERE seat.show_id = %(show_id)s AND seat.zone = %(zone)s AND seat.tier_id = %(tier_id)s
       AND btrim(seat.number) = ''
       AND (seat.status = 'available' OR seat.status = 'held' AND hold.expires_at <= jobs_now())
     ORDER BY seat.status, seat.position DESC LIMIT %(most)s
"""

PLACES_ASIDE = """
    SELECT id FROM inventory_seat
     WHERE show_id = %(show_id)s AND zone = %(zone)s AND tier_id = %(tier_id)s AND btrim(number) = ''
       AND status = 'blocked'
     ORDER BY position
"""

# available → blocked and back. They are locked already. By primary key; see Note [Marks] in transitions.py.
CHANGE_PLACES = """
    WITH changed AS (
        UPDATE inventory_seat SET status = %(to)s, version = version + 1
         WHERE id = ANY(%(seat_ids)s::bigint[]) AND show_id = %(show_id)s AND status = %(was)s
        RETURNING id, show_id
    ), marked AS (
        INSERT INTO inventory_seatchange (show_id, at) SELECT DISTINCT show_id, jobs_now() FROM changed
    )
    SELECT id FROM changed
"""


@dataclass(frozen=True)
class Area:
    """Places of one tier without a number in one part of the house, and how many of them stand how."""

    zone: str
    tier_id: int
    tier: str
    total: int
    free: int
    aside: int

    @property
    def name(self) -> str:
        """What it is called: its part of the house, or its tier where that has no name."""
        return self.zone or self.tier


def areas_of(*, show_id: int) -> list[Area]:
    """The areas of the show, in the order of the plan; none where all seats have numbers. One query."""
    return [Area(*row) for row in rows_of(AREAS, show_id=show_id)]


def block_places(*, show_id: int, zone: str, tier_id: int, count: int, aside: int) -> set[int]:
    """Put ``count`` free places of the area aside, all or none; returns their ids. Nobody minds which ones.

    aside: how many of the area were aside when somebody looked: asked for twice it is done once. A place of a lapsed
    hold is free; that hold ends. Part of the caller's transaction, who tells why.
    Raises UnknownShow, TransitionRefused where the show is over or cancelled, AreaHasChanged where another number is
    aside by now, NotEnoughPlaces, and TransactionManagementError outside a transaction.
    """
    lock_show_to_come(show_id)
    _require_as_seen(show_id, zone, tier_id, aside)
    most = count + SPARE
    found = rows_of(FREE_PLACES, show_id=show_id, zone=zone, tier_id=tier_id, most=most)
    lapsed = lock_lapsed_holds(hold_ids=[hold_id for _, hold_id in found[:count] if hold_id is not None])
    wanted = [seat_id for seat_id, hold_id in found if hold_id is None or hold_id in lapsed]
    locked = {seat.id: seat for seat in lock_seats(seat_ids=wanted, with_seats_of=lapsed)}
    free = [
        seat_id
        for seat_id in wanted
        if locked[seat_id].status == Seat.Status.AVAILABLE or locked[seat_id].hold_id in lapsed
    ]
    if len(free) < count:
        raise NotEnoughPlaces(free=len(free))
    if lapsed:
        end_lapsed_holds(hold_ids=lapsed, way="lazily")
    return _change(show_id, free[:count], was=Seat.Status.AVAILABLE, to=Seat.Status.BLOCKED)


def unblock_places(*, show_id: int, zone: str, tier_id: int, count: int, aside: int) -> set[int]:
    """Put ``count`` places of the area that are aside on sale again; otherwise as ``block_places``."""
    lock_show_to_come(show_id)
    found = _require_as_seen(show_id, zone, tier_id, aside)
    if len(found) < count:
        raise NotEnoughPlaces(free=len(found))
    chosen = found[:count]
    lock_seats(seat_ids=chosen)
    return _change(show_id, chosen, was=Seat.Status.BLOCKED, to=Seat.Status.AVAILABLE)


def _require_as_seen(show_id: int, zone: str, tier_id: int, aside: int) -> list[int]:
    """The places that are aside, which only we change until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_ASIDE_OF_SHOW, {"show_id": show_id})
    found = [seat_id for (seat_id,) in rows_of(PLACES_ASIDE, show_id=show_id, zone=zone, tier_id=tier_id)]
    if len(found) != aside:
        raise AreaHasChanged
    return found


def _change(show_id: int, seat_ids: Sequence[int], *, was: Seat.Status, to: Seat.Status) -> set[int]:
    values = {"seat_ids": list(seat_ids), "was": str(was), "to": str(to)}
    changed = {seat_id for (seat_id,) in rows_of(CHANGE_PLACES, show_id=show_id, **values)}
    if changed:
        ask_for_count(show_ids=[show_id])
    return changed
