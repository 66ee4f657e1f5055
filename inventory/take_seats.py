"""The one place where free seats become a hold: what every way of holding seats comes down to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from inventory import hold_transitions, transitions
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import HoldIsBought, NoSeatsChosen, TooManySeats
from inventory.expire_hold import enqueue_expiry
from inventory.models import Hold, Seat
from inventory.sale import why_not_on_sale

# Long enough to type a name and pay, short enough that seats come back while others still look for them.
HOLD_DURATION = timedelta(minutes=10)

# More than a family and its friends; larger groups are served at the counter.
MAX_SEATS_PER_HOLD = 10

FORMS_AT_ONCE = 5
"""Forms that one browser may send at the same moment: each finds the hold of the one before it, and replaces that."""


class NotToBeHad(Exception):
    """Some of the seats are taken, or somebody is busy with them; ``seat_ids`` tells which."""

    def __init__(self, seat_ids: set[int]) -> None:
        super().__init__(f"Seats {sorted(seat_ids)} are not to be had.")
        self.seat_ids = seat_ids


def require_count(count: int, *, limit: int = MAX_SEATS_PER_HOLD) -> None:
    """Passes for a number of seats that one hold may have. Raises NoSeatsChosen, TooManySeats."""
    if count < 1:
        raise NoSeatsChosen
    if count > limit:
        raise TooManySeats(limit=limit)


def take_seats(
    *,
    show_id: int,
    seat_ids: Sequence[int],
    lapsed_hold_ids: Collection[int],
    wait: bool = True,
    holder: UUID | None = None,
    has_hold: bool = False,
    follows: int | None = None,
) -> Hold:
    """Hold these seats for HOLD_DURATION, all of them or none. Opens its own transaction, in which the hold's job is
    enqueued that ends it (one query more).

    The locks come in their order (see Note [Order of locks]), then a second look under them, then the change.
    lapsed_hold_ids: holds that the seats seemed to belong to and that seemed to have lapsed. wait: for whoever is
    busy with one of the seats; otherwise they count as not to be had. follows: the hold in whose place this one comes.
    holder: the browser that takes them. It has one hold of a show at a time: another one, whose seats it may take
    along, ends in the transaction in which this one begins. Most browsers have none, so unless the caller knows better
    (has_hold) none is looked for until the database has refused a second one.
    Raises NotToBeHad, UnknownShow, NotOnSale, and HoldIsBought where the browser has begun to buy by the other one.
    """
    wish = _Wish(show_id=show_id, seat_ids=seat_ids, lapsed_hold_ids=lapsed_hold_ids, wait=wait, follows=follows)
    for _ in range(FORMS_AT_ONCE):
        try:
            with transaction.atomic():
                return wish.take(holder=holder, replace=has_hold)
        except transitions.HasAHold:
            has_hold = True
    raise NotToBeHad(set(seat_ids))


@dataclass(frozen=True)
class _Wish:
    show_id: int
    seat_ids: Sequence[int]
    lapsed_hold_ids: Collection[int]
    wait: bool
    follows: int | None

    def take(self, *, holder: UUID | None, replace: bool) -> Hold:
        if not transitions.lock_show_on_sale(show_id=self.show_id):
            raise why_not_on_sale(show_id=self.show_id)
        lapsed, own = self._lock_holds(holder=holder if replace else None)
        ending = [*lapsed, *own]
        if self.wait or ending:
            seats = transitions.lock_seats(seat_ids=self.seat_ids, with_seats_of=ending)
        else:
            seats = transitions.lock_seats_nobody_is_busy_with(seat_ids=self.seat_ids)
        free = {seat.id for seat in seats if seat.status == Seat.Status.AVAILABLE or seat.hold_id in ending}
        if missing := set(self.seat_ids) - free:
            raise NotToBeHad(missing)
        if lapsed:
            # See Note [Lapsed holds].
            end_lapsed_holds(hold_ids=lapsed, way="lazily")
        for hold_id in own:
            hold_transitions.release_replaced(hold_id=hold_id)
            transitions.free_seats(hold_ids=[hold_id])
        hold = transitions.start_hold(
            show_id=self.show_id,
            seat_ids=self.seat_ids,
            duration=HOLD_DURATION,
            holder=holder,
            follows=own[0] if own else self.follows,
        )
        if transitions.take_seats(hold=hold) != len(self.seat_ids):
            raise NotToBeHad(set(self.seat_ids))
        enqueue_expiry(hold_id=hold.pk, expires_at=hold.expires_at)
        return hold

    def _lock_holds(self, *, holder: UUID | None) -> tuple[list[int], list[int]]:
        """Those that have lapsed, and the browser's own one, which is to be replaced."""
        wanted = sorted(self.lapsed_hold_ids)
        if holder is None:
            return (transitions.lock_lapsed_holds(hold_ids=wanted) if wanted else []), []
        holds = transitions.lock_holds_in_the_way(hold_ids=wanted, show_id=self.show_id, holder=holder)
        own = [hold for hold in holds if not hold.has_lapsed]
        if any(hold.is_ordered for hold in own):
            raise HoldIsBought
        return [hold.id for hold in holds if hold.has_lapsed], [hold.id for hold in own]
