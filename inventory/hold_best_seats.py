"""Hold the best seats of a tier for a fan who leaves the choice to us. All of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from random import randrange
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Sqrt

from inventory.best_seats import Place, groups_together, split_party
from inventory.conditions import seat_is_free
from inventory.errors import NotEnoughSeats, UnknownTier
from inventory.models import Hold, PriceTier, Seat
from inventory.sale import require_on_sale
from inventory.take_seats import MAX_SEATS_PER_HOLD, NotToBeHad, require_count, take_seats

# The best seats are among the nearest ones. Only where those have no room for the party we look at all of them,
# which in a large hall takes a hundred times as long.
NEAREST = 300

# After a collision the next try is anywhere among so many times more of the best groups, since all fans of a rush
# would otherwise collide again on the second best.
SPREAD = 4


def hold_best_seats(
    *,
    show_id: int,
    tier_id: int,
    count: int,
    zone: str | None = None,
    holder: UUID | None = None,
    limit: int = MAX_SEATS_PER_HOLD,
) -> Hold:
    """Hold the best ``count`` seats of the tier for HOLD_DURATION: together, near the middle of the front.

    They are split over rows only where they are not to be had in one. Raises NoSeatsChosen, TooManySeats,
    UnknownShow, NotOnSale, UnknownTier, NotEnoughSeats only when fewer than ``count`` seats are really free, and
    HoldIsBought. Opens its own transactions.

    zone: only seats of this zone of the plan, such as a standing area. holder: stands for the browser, whose other hold
    of the show ends when this one begins; its seats are not looked at. limit: how many seats it may be at most.
    """
    require_count(count, limit=limit)
    require_on_sale(show_id=show_id)
    tier = PriceTier.objects.filter(pk=tier_id, show_id=show_id).values_list("show__plan__width").first()
    if tier is None:
        raise UnknownTier
    house = _House(show_id=show_id, tier_id=tier_id, zone=zone, middle=tier[0] / 2, holder=holder)
    while True:
        if hold := house.hold_what_nobody_is_busy_with(count):
            return hold
        # Others are busy with all there is, and may yet give some of it back: so wait for them. Each further round
        # means that somebody else got seats, so the rounds come to an end.
        if hold := house.hold_once_it_is_free(count):
            return hold


class _House:
    """The free seats of one tier, and the middle of the stage in front of them."""

    def __init__(self, *, show_id: int, tier_id: int, zone: str | None, middle: float, holder: UUID | None) -> None:
        self.show_id = show_id
        self.seats = Seat.objects.filter(show_id=show_id, tier_id=tier_id)
        if zone is not None:
            self.seats = self.seats.filter(zone=zone)
        self.middle = middle
        self.holder = holder

    def hold_what_nobody_is_busy_with(self, count: int) -> Hold | None:
        choices = self._choices(count)
        reach = 1
        while choices:
            chosen = choices[randrange(min(reach, len(choices)))]  # noqa: S311 - spreads fans, hides nothing
            try:
                return self._take(chosen, wait=False)
            except NotToBeHad as refusal:
                choices = [group for group in choices if refusal.seat_ids.isdisjoint(seat.id for seat in group)]
                reach *= SPREAD
        return None

    def hold_once_it_is_free(self, count: int) -> Hold | None:
        try:
            return self._take(self._choices(count)[0], wait=True)
        except NotToBeHad:
            return None

    def _take(self, group: Sequence[Place], *, wait: bool) -> Hold:
        return take_seats(
            show_id=self.show_id,
            seat_ids=sorted(place.id for place in group),
            lapsed_hold_ids={place.lapsed_hold_id for place in group if place.lapsed_hold_id is not None},
            wait=wait,
            holder=self.holder,
        )

    def _choices(self, count: int) -> list[Sequence[Place]]:
        """The groups to choose from, the best one first; at least one. Raises NotEnoughSeats."""
        nearest = self._free_places(NEAREST)
        if len(nearest) < count:
            raise NotEnoughSeats(free=len(nearest))
        choices = groups_together(nearest, count=count, middle=self.middle)
        if not choices and len(nearest) == NEAREST:
            choices = groups_together(self._free_places(), count=count, middle=self.middle)
        return choices or [split_party(nearest, count=count, middle=self.middle)]

    def _free_places(self, limit: int | None = None) -> list[Place]:
        """The nearest free seats, or all, in the order of the plan. By seat_guid_once_per_show."""
        across = F("x") - self.middle
        free = (
            self.seats.filter(seat_is_free())
            .order_by(Sqrt(across * across + F("y") * F("y")), "position")
            .values_list("id", "zone", "row", "position", "x", "y", "hold_id")
        )
        return sorted((Place(*row) for row in free[:limit]), key=lambda place: place.position)
