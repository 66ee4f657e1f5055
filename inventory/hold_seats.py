"""Hold the seats that a fan chose. All of them or none.

Guarantees, here and for the best seats: two fans never get one seat, in whatever order their seats overlap, and
neither waits for ever; seats of a hold that has lapsed can be taken at once, whether or not any job has run; a show
sells from its opening instant on and not before, by the database's clock; a refusal changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, Value

from inventory.conditions import hold_is_open, seat_is_free
from inventory.errors import DuplicateSeats, SeatsTaken, UnknownSeats
from inventory.hold_best_seats import hold_best_seats
from inventory.models import Hold, Seat
from inventory.sale import require_on_sale
from inventory.take_seats import HOLD_DURATION, MAX_SEATS_PER_HOLD, NotToBeHad, require_count, take_seats
from jobs.clock import DatabaseNow

__all__ = ["HOLD_DURATION", "MAX_SEATS_PER_HOLD", "hold_best_seats", "hold_seats"]


def hold_seats(
    *,
    show_id: int,
    seat_ids: Sequence[int],
    holder: UUID | None = None,
    follows: int | None = None,
    limit: int = MAX_SEATS_PER_HOLD,
) -> Hold:
    """Hold exactly these seats of the show for HOLD_DURATION. Opens its own transaction.

    holder: stands for the browser, which has one hold of a show at a time: another one ends when this one begins, and
    not if it is refused; its seats can be among these. The same seats once more are the hold that is there, so a form
    sent twice does no harm. follows: the hold in whose place this one comes. limit: how many seats it may be at most.

    Raises NoSeatsChosen, TooManySeats, DuplicateSeats, UnknownShow, NotOnSale, UnknownSeats (also for the seats of
    another show), SeatsTaken, which names the seats, and HoldIsBought where the browser has begun to buy others.
    """
    require_count(len(seat_ids), limit=limit)
    if len(set(seat_ids)) < len(seat_ids):
        raise DuplicateSeats
    require_on_sale(show_id=show_id)
    seats = list(
        Seat.objects.filter(show_id=show_id, pk__in=seat_ids)
        .annotate(is_free=ExpressionWrapper(seat_is_free(), output_field=BooleanField()))
        .annotate(is_own=_held_by(holder))
        .order_by("position")
    )
    if len(seats) < len(seat_ids):
        raise UnknownSeats
    if all(seat.is_own for seat in seats) and (hold := _same_hold(show_id, holder, seat_ids)):
        return hold
    # Most fans who are too late learn it here, before they make anybody wait.
    if taken := [seat.label for seat in seats if not seat.is_free and not seat.is_own]:
        raise SeatsTaken(taken)
    lapsed = {seat.hold_id for seat in seats if seat.hold_id is not None and not seat.is_own}
    try:
        return take_seats(
            show_id=show_id,
            seat_ids=[seat.pk for seat in seats],
            lapsed_hold_ids=lapsed,
            holder=holder,
            has_hold=any(seat.is_own for seat in seats),
            follows=follows,
        )
    except NotToBeHad as refusal:
        # The other one of two forms may have been quicker.
        if hold := _same_hold(show_id, holder, seat_ids):
            return hold
        raise SeatsTaken([seat.label for seat in seats if seat.pk in refusal.seat_ids]) from None


def _held_by(holder: UUID | None) -> Value | ExpressionWrapper:
    if holder is None:
        return Value(False)
    held = Q(status=Seat.Status.HELD, hold__expires_at__gt=DatabaseNow(), hold__holder=holder)
    return ExpressionWrapper(held, output_field=BooleanField())


def _same_hold(show_id: int, holder: UUID | None, seat_ids: Sequence[int]) -> Hold | None:
    """What this browser holds already, if it is just these seats. By hold_one_active_per_browser."""
    if holder is None:
        return None
    hold = Hold.objects.filter(hold_is_open(), show_id=show_id, holder=holder).first()
    return hold if hold is not None and set(hold.seat_ids) == set(seat_ids) else None
