"""Hold seats for a fan: chosen ones, or the best ones together. All of them or none.

Guarantees: two fans never get one seat, in whatever order their seats overlap, and neither waits for ever; seats of
a hold that has lapsed can be taken at once, whether or not any job has run; a show sells from its opening instant
on and not before, by the database's clock; a refusal changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper

from inventory import transitions
from inventory.best_seats import Place, best_seats
from inventory.conditions import seat_is_free
from inventory.errors import (
    DuplicateSeats,
    NoSeatsChosen,
    NotEnoughSeats,
    SeatsTaken,
    TooManySeats,
    UnknownSeats,
    UnknownTier,
)
from inventory.models import Hold, PriceTier, Seat
from inventory.sale import require_on_sale, why_not_on_sale

# Long enough to type a name and pay, short enough that seats come back while others still look for them.
HOLD_DURATION = timedelta(minutes=10)

# More than a family and its friends; larger groups are served at the counter.
MAX_SEATS_PER_HOLD = 10


class _NotToBeHad(Exception):
    """Some of the seats are taken, or somebody is busy with them; ``seat_ids`` tells which."""

    def __init__(self, seat_ids: set[int]) -> None:
        super().__init__(f"Seats {sorted(seat_ids)} are not to be had.")
        self.seat_ids = seat_ids


def hold_seats(*, show_id: int, seat_ids: Sequence[int]) -> Hold:
    """Hold exactly these seats of the show for HOLD_DURATION. Opens its own transaction.

    Raises NoSeatsChosen, TooManySeats, DuplicateSeats, UnknownShow, NotOnSale, UnknownSeats (also for the seats of
    another show) and SeatsTaken, which names the seats.
    """
    _check_count(len(seat_ids))
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
        return _take(show_id=show_id, seat_ids=[seat.pk for seat in seats], lapsed_hold_ids=lapsed)
    except _NotToBeHad as refusal:
        raise SeatsTaken([seat.label for seat in seats if seat.pk in refusal.seat_ids]) from None


def hold_best_seats(*, show_id: int, tier_id: int, count: int) -> Hold:
    """Hold the best ``count`` seats of the tier for HOLD_DURATION: together, near the middle of the front.

    They are split over rows only where they are not to be had in one. Raises NoSeatsChosen, TooManySeats,
    UnknownShow, NotOnSale, UnknownTier, and NotEnoughSeats only when fewer than ``count`` seats are really free.
    Opens its own transactions.
    """
    _check_count(count)
    require_on_sale(show_id=show_id)
    tier = PriceTier.objects.filter(pk=tier_id, show_id=show_id).values_list("show__plan__width").first()
    if tier is None:
        raise UnknownTier
    middle = tier[0] / 2
    places = _free_places(show_id=show_id, tier_id=tier_id)
    not_to_be_had: set[int] = set()
    while True:
        left = [place for place in places if place.id not in not_to_be_had]
        seat_ids = best_seats(left, count=count, middle=middle)
        # Others are busy with what is missing, and may yet give it back. So look again, and now wait for them. Each
        # further round means that somebody else got seats, so the rounds come to an end.
        wait = not seat_ids
        if wait:
            not_to_be_had.clear()
            places = _free_places(show_id=show_id, tier_id=tier_id)
            seat_ids = best_seats(places, count=count, middle=middle)
            if not seat_ids:
                raise NotEnoughSeats(free=len(places))
        lapsed = {place.lapsed_hold_id for place in places if place.id in seat_ids and place.lapsed_hold_id}
        try:
            return _take(show_id=show_id, seat_ids=seat_ids, lapsed_hold_ids=lapsed, wait=wait)
        except _NotToBeHad as refusal:
            not_to_be_had |= refusal.seat_ids


def _check_count(count: int) -> None:
    if count < 1:
        raise NoSeatsChosen
    if count > MAX_SEATS_PER_HOLD:
        raise TooManySeats(limit=MAX_SEATS_PER_HOLD)


def _free_places(*, show_id: int, tier_id: int) -> list[Place]:
    free = Seat.objects.filter(seat_is_free(), show_id=show_id, tier_id=tier_id).order_by("position")
    return [Place(*row) for row in free.values_list("id", "zone", "row", "position", "x", "y", "hold_id")]


def _take(*, show_id: int, seat_ids: Sequence[int], lapsed_hold_ids: Collection[int], wait: bool = True) -> Hold:
    """The locks in their order, a second look under them, then the change. See Note [Order of locks]."""
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
            raise _NotToBeHad(missing)
        if lapsed:
            # See Note [Lapsed holds].
            transitions.free_seats(hold_ids=transitions.expire_holds(hold_ids=lapsed))
        hold = transitions.start_hold(show_id=show_id, seat_ids=seat_ids, duration=HOLD_DURATION)
        if transitions.take_seats(hold=hold) != len(seat_ids):
            raise _NotToBeHad(set(seat_ids))
        return hold
