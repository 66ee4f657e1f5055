"""The same seats once more, for whoever has paid for them when their hold was over."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory import hold_transitions, transitions
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.models import Hold, Seat

# It is confirmed in the transaction that makes it; this only has to be longer than that.
WHILE_IT_IS_CONFIRMED = timedelta(minutes=1)


def replace_hold(*, hold_id: int) -> Hold | None:
    """A new hold of exactly the seats of one that has ended, at its prices; None where one of them is not to be had.

    Those that the same browser holds anew are: it ends that hold, with which nobody has begun to buy, since its fan has
    paid for them already.

    Part of the caller's transaction, in which it is to be confirmed: no job is left that would end it. The caller has
    locked the show, or does not care about it; the locks of holds and seats come in their order. Whether the show
    still sells is not asked: the money is there. Raises TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Replace a hold inside the transaction that confirms it.")
    gone = Hold.objects.get(pk=hold_id)
    seats = Seat.objects.filter(pk__in=gone.seat_ids, show_id=gone.show_id)
    in_the_way = {seat.hold_id for seat in seats if seat.hold_id is not None}
    lapsed, own = _lock_holds(gone, in_the_way)
    locked = transitions.lock_seats(seat_ids=gone.seat_ids, with_seats_of=[*lapsed, *own])
    free = {seat.id for seat in locked if seat.status == Seat.Status.AVAILABLE or seat.hold_id in {*lapsed, *own}}
    if not free.issuperset(gone.seat_ids):
        return None
    if lapsed:
        # See Note [Lapsed holds].
        end_lapsed_holds(hold_ids=lapsed, way="lazily")
    for other in own:
        hold_transitions.release_replaced(hold_id=other)
        transitions.free_seats(hold_ids=[other])
    hold = transitions.start_hold(
        show_id=gone.show_id,
        seat_ids=gone.seat_ids,
        duration=WHILE_IT_IS_CONFIRMED,
        prices=gone.prices,
        follows=gone.pk,
    )
    return hold if transitions.take_seats(hold=hold) == len(gone.seat_ids) else None


def _lock_holds(gone: Hold, in_the_way: set[int]) -> tuple[list[int], list[int]]:
    """Those that have lapsed, and the one that the same browser has taken of these seats since."""
    wanted = sorted({gone.pk, *in_the_way})
    if gone.holder is None:
        return transitions.lock_lapsed_holds(hold_ids=wanted), []
    holds = transitions.lock_holds_in_the_way(hold_ids=wanted, show_id=gone.show_id, holder=gone.holder)
    lapsed = [hold.id for hold in holds if hold.has_lapsed]
    return lapsed, [hold.id for hold in holds if not hold.has_lapsed and not hold.is_ordered and hold.id in in_the_way]
