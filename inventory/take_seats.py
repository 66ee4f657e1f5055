"""The one place where free seats become a hold: what every way of holding seats comes down to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from django.db import transaction

from inventory import transitions
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import NoSeatsChosen, TooManySeats
from inventory.expire_hold import enqueue_expiry
from inventory.models import Hold, Seat
from inventory.sale import why_not_on_sale

# Long enough to type a name and pay, short enough that seats come back while others still look for them.
HOLD_DURATION = timedelta(minutes=10)

# More than a family and its friends; larger groups are served at the counter.
MAX_SEATS_PER_HOLD = 10


class NotToBeHad(Exception):
    """Some of the seats are taken, or somebody is busy with them; ``seat_ids`` tells which."""

    def __init__(self, seat_ids: set[int]) -> None:
        super().__init__(f"Seats {sorted(seat_ids)} are not to be had.")
        self.seat_ids = seat_ids


def require_count(count: int) -> None:
    """Passes for a number of seats that one hold may have. Raises NoSeatsChosen, TooManySeats."""
    if count < 1:
        raise NoSeatsChosen
    if count > MAX_SEATS_PER_HOLD:
        raise TooManySeats(limit=MAX_SEATS_PER_HOLD)


def take_seats(*, show_id: int, seat_ids: Sequence[int], lapsed_hold_ids: Collection[int], wait: bool = True) -> Hold:
    """Hold these seats for HOLD_DURATION, all of them or none. Opens its own transaction, in which the hold's job is
    enqueued that ends it (one query more).

    The locks come in their order (see Note [Order of locks]), then a second look under them, then the change.
    lapsed_hold_ids: holds that the seats seemed to belong to and that seemed to have lapsed. wait: for whoever is
    busy with one of the seats; otherwise they count as not to be had.
    Raises NotToBeHad, UnknownShow and NotOnSale.
    """
    with transaction.atomic():
        if not transitions.lock_show_on_sale(show_id=show_id):
            raise why_not_on_sale(show_id=show_id)
        lapsed: list[int] = []
        if lapsed_hold_ids:
            lapsed = transitions.lock_lapsed_holds(hold_ids=sorted(lapsed_hold_ids))
        if wait or lapsed:
            seats = transitions.lock_seats(seat_ids=seat_ids, with_seats_of=lapsed)
        else:
            seats = transitions.lock_seats_nobody_is_busy_with(seat_ids=seat_ids)
        free = {seat.id for seat in seats if seat.status == Seat.Status.AVAILABLE or seat.hold_id in lapsed}
        if missing := set(seat_ids) - free:
            raise NotToBeHad(missing)
        if lapsed:
            # See Note [Lapsed holds].
            end_lapsed_holds(hold_ids=lapsed, way="lazily")
        hold = transitions.start_hold(show_id=show_id, seat_ids=seat_ids, duration=HOLD_DURATION)
        if transitions.take_seats(hold=hold) != len(seat_ids):
            raise NotToBeHad(set(seat_ids))
        enqueue_expiry(hold_id=hold.pk, expires_at=hold.expires_at)
        return hold
