"""Moving a sale to other seats of its show: the old ones on sale again, the new ones sold, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory.ask_for_count import ask_for_count
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import HoldIncomplete, HoldNotActive, SeatsTaken
from inventory.models import Hold, Seat
from inventory.return_seats import return_seats
from inventory.statements import count_of, rows_of
from inventory.transitions import MARK_SHOWS, lock_seats

# The sale's own hold, and those that have lapsed; see Note [Order of locks]. By primary key.
LOCK_OWN_AND_LAPSED = """
    SELECT id, id = %(hold_id)s FROM inventory_hold
     WHERE id = %(hold_id)s AND status = 'confirmed'
        OR id = ANY(%(others)s::bigint[]) AND status = 'active' AND expires_at <= jobs_now()
     ORDER BY id
       FOR NO KEY UPDATE
"""

# available → sold, without a hold between: the sale has one. The seats are locked already. By primary key. See Note
# [Marks].
SELL_FREE_SEATS = f"""
    WITH changed AS (
        UPDATE inventory_seat
           SET status = 'sold', hold_id = %(hold_id)s, version = version + 1
         WHERE id = ANY(%(seat_ids)s::bigint[]) AND show_id = %(show_id)s AND status = 'available'
        RETURNING show_id
    ), {MARK_SHOWS}
"""  # noqa: S608 - a constant

# The hold remembers what it bought, at the prices that it promised. By primary key.
FOLLOW_SEATS = """
    UPDATE inventory_hold SET seat_ids = %(seat_ids)s::bigint[] WHERE id = %(hold_id)s AND status = 'confirmed'
"""


def move_seats(*, hold_id: int, moves: Mapping[int, int]) -> list[Seat]:
    """Give up the seats of a confirmed hold that are the keys, and sell it those that are the values; returns these
    with their tiers, in the order of ``moves``.

    A seat of a lapsed hold can be moved to; that hold ends. Prices are the caller's question: the hold keeps those that
    it promised. Part of the caller's transaction, who has locked the show and must roll back when this raises:
    HoldNotActive (the hold is not confirmed), HoldIncomplete (a key is not sold to it), SeatsTaken (names the values
    that are not free, or of another show). Raises TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Move seats inside the transaction that moves their tickets.")
    old, new = list(moves), list(moves.values())
    others = Seat.objects.filter(pk__in=new, status=Seat.Status.HELD).values_list("hold_id", flat=True)
    locked = rows_of(LOCK_OWN_AND_LAPSED, hold_id=hold_id, others=list(others))
    if not any(is_own for _id, is_own in locked):
        raise HoldNotActive
    lapsed = [number for number, is_own in locked if not is_own]
    stand = {seat.id: seat for seat in lock_seats(seat_ids=[*old, *new], with_seats_of=lapsed)}
    if any(stand[each].hold_id != hold_id or stand[each].status != Seat.Status.SOLD for each in old if each in stand):
        raise HoldIncomplete
    free = [n for n in new if n in stand and (stand[n].status == Seat.Status.AVAILABLE or stand[n].hold_id in lapsed)]
    if len(free) < len(new):
        raise SeatsTaken(_labels(set(new) - set(free)))
    if lapsed:
        end_lapsed_holds(hold_ids=lapsed, way="lazily")
    if return_seats(hold_id=hold_id, seat_ids=old) != len(old):
        raise HoldIncomplete
    hold = Hold.objects.get(pk=hold_id)
    if _sell(hold, new) != len(new):
        raise SeatsTaken(_labels(new))
    count_of(FOLLOW_SEATS, hold_id=hold_id, seat_ids=[moves.get(each, each) for each in hold.seat_ids])
    seats = Seat.objects.select_related("tier").in_bulk(new)
    return [seats[each] for each in new]


def _sell(hold: Hold, seat_ids: Sequence[int]) -> int:
    changed = dict(rows_of(SELL_FREE_SEATS, hold_id=hold.pk, seat_ids=list(seat_ids), show_id=hold.show_id))
    ask_for_count(show_ids=changed)
    return sum(changed.values())


def _labels(seat_ids: Sequence[int] | set[int]) -> list[str]:
    return [seat.label for seat in Seat.objects.filter(pk__in=list(seat_ids)).order_by("position")]
