"""Putting seats aside, so that nobody can buy them, and putting them back on sale."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory.ask_for_count import ask_for_count
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import TransitionRefused, UnknownShow
from inventory.models import Seat, Show
from inventory.statements import rows_of
from inventory.transitions import lock_lapsed_holds, lock_seats

# A show that is over or cancelled has nothing to put aside. By primary key.
LOCK_SHOW_TO_COME = """
    SELECT id FROM inventory_show WHERE id = %(show_id)s AND status IN ('draft', 'scheduled', 'postponed') FOR SHARE
"""

# available → blocked and back, for seats that are still as they were seen. They are locked already. By primary key; see
# Note [Marks] in transitions.py.
BLOCK_SEATS = """
    WITH changed AS (
        UPDATE inventory_seat AS seat
           SET status = %(to)s, version = seat.version + 1
          FROM unnest(%(seat_ids)s::bigint[], %(versions)s::integer[]) AS seen (id, version)
         WHERE seat.id = seen.id AND seat.version = seen.version
           AND seat.show_id = %(show_id)s AND seat.status = %(was)s
        RETURNING seat.id, seat.show_id
    ), marked AS (
        INSERT INTO inventory_seatchange (show_id, at) SELECT DISTINCT show_id, jobs_now() FROM changed
    )
    SELECT id FROM changed
"""


def block_seats(*, show_id: int, seen: Mapping[int, int]) -> set[int]:
    """Put those of the seats aside that are free; returns their ids. What is held or sold stays as it is.

    seen: the version of each seat when somebody looked at it: one that has changed since stays, and asked for twice it
    is done once. A seat of a lapsed hold is free; that hold ends. Part of the caller's transaction, who tells why.
    Raises UnknownShow, TransitionRefused where the show is over or cancelled, and TransactionManagementError outside a
    transaction.
    """
    lock_show_to_come(show_id)
    others = Seat.objects.filter(pk__in=seen, show_id=show_id, status=Seat.Status.HELD).values_list(
        "hold_id", flat=True
    )
    lapsed = lock_lapsed_holds(hold_ids=[hold_id for hold_id in others if hold_id is not None])
    freed = {seat.id for seat in lock_seats(seat_ids=list(seen), with_seats_of=lapsed) if seat.hold_id in lapsed}
    if lapsed:
        end_lapsed_holds(hold_ids=lapsed, way="lazily")
    # The end of its hold was one more change of the seat, and ours.
    versions = {seat_id: version + (seat_id in freed) for seat_id, version in seen.items()}
    return _change(show_id, versions, was=Seat.Status.AVAILABLE, to=Seat.Status.BLOCKED)


def unblock_seats(*, show_id: int, seen: Mapping[int, int]) -> set[int]:
    """Put those of the seats on sale again that are put aside; otherwise as ``block_seats``."""
    lock_show_to_come(show_id)
    lock_seats(seat_ids=list(seen))
    return _change(show_id, seen, was=Seat.Status.BLOCKED, to=Seat.Status.AVAILABLE)


def lock_show_to_come(show_id: int) -> None:
    """Keeps the show from ending or being moved until the transaction ends.

    Raises UnknownShow, TransitionRefused where it is over or cancelled, and TransactionManagementError outside a
    transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Put seats aside inside the transaction that tells why.")
    if rows_of(LOCK_SHOW_TO_COME, show_id=show_id):
        return
    raise TransitionRefused if Show.objects.filter(pk=show_id).exists() else UnknownShow


def _change(show_id: int, seen: Mapping[int, int], *, was: Seat.Status, to: Seat.Status) -> set[int]:
    values = {"seat_ids": list(seen), "versions": list(seen.values()), "was": str(was), "to": str(to)}
    changed = {seat_id for (seat_id,) in rows_of(BLOCK_SEATS, show_id=show_id, **values)}
    if changed:
        ask_for_count(show_ids=[show_id])
    return changed
