"""Hold the seats that a fan chose. All of them or none.

Guarantees, here and for the best seats: two fans never get one seat, in whatever order their seats overlap, and
neither waits for ever; seats of a hold that has lapsed can be taken at once, whether or not any job has run; a show
sells from its opening instant on and not before, by the database's clock; a refusal changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import BooleanField, ExpressionWrapper

from inventory.conditions import seat_is_free
from inventory.errors import DuplicateSeats, SeatsTaken, UnknownSeats
from inventory.hold_best_seats import hold_best_seats
from inventory.models import Hold, Seat
from inventory.sale import require_on_sale
from inventory.take_seats import HOLD_DURATION, MAX_SEATS_PER_HOLD, NotToBeHad, require_count, take_seats

__all__ = ["HOLD_DURATION", "MAX_SEATS_PER_HOLD", "hold_best_seats", "hold_seats"]


def hold_seats(*, show_id: int, seat_ids: Sequence[int]) -> Hold:
    """Hold exactly these seats of the show for HOLD_DURATION. Opens its own transaction.

    Raises NoSeatsChosen, TooManySeats, DuplicateSeats, UnknownShow, NotOnSale, UnknownSeats (also for the seats of
    another show) and SeatsTaken, which names the seats.
    """
    require_count(len(seat_ids))
    if len(set(seat_ids)) < len(seat_ids):
        raise DuplicateSeats
    require_on_sale(show_id=show_id)
    seats = list(
        Seat.objects.filter(show_id=show_id, pk__in=seat_ids)
        .annotate(is_free=ExpressionWrapper(seat_is_free(), output_field=BooleanField()))
        .order_by("position")
    )
    if len(seats) < len(seat_ids):
        raise UnknownSeats
    # Most fans who are too late learn it here, before they make anybody wait.
    if taken := [seat.label for seat in seats if not seat.is_free]:
        raise SeatsTaken(taken)
    lapsed = {seat.hold_id for seat in seats if seat.hold_id is not None}
    try:
        return take_seats(show_id=show_id, seat_ids=[seat.pk for seat in seats], lapsed_hold_ids=lapsed)
    except NotToBeHad as refusal:
        raise SeatsTaken([seat.label for seat in seats if seat.pk in refusal.seat_ids]) from None
