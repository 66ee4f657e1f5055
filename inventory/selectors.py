"""What pages read: shows with what is left of them, their seats, and holds. All of it by the database's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    ExpressionWrapper,
    F,
    FloatField,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Ceil, Coalesce, Extract, Greatest

from inventory.conditions import hold_is_open, opens_later, seat_is_free, show_sells
from inventory.errors import UnknownHold, UnknownShow
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.money import Money
from jobs.clock import DatabaseNow


@dataclass(frozen=True)
class Offer:
    """A show, with its venue, and what a fan can get of it at this moment, or could when its seats were last counted.

    sells: it is on sale now. opens_later: its sale has not opened yet. price_from, price_to: of all its seats, or
    None where it has none. seats_free counts seats of lapsed holds, as they can be taken.
    """

    show: Show
    sells: bool
    opens_later: bool
    price_from: Money | None
    price_to: Money | None
    seats_free: int
    seats_total: int

    @property
    def is_sold_out(self) -> bool:
        """It is on sale, and nothing is left."""
        return self.sells and self.seats_free == 0


class SeatState(NamedTuple):
    """A seat with its tier, and how it stands for a fan: ``free``, ``held``, ``sold`` or ``blocked``."""

    seat: Seat
    state: str


@dataclass(frozen=True)
class Availability:
    """How the seats of a show stand. ``free`` counts seats of lapsed holds."""

    free: int
    held: int
    sold: int
    blocked: int

    @property
    def total(self) -> int:
        return self.free + self.held + self.sold + self.blocked


@dataclass(frozen=True)
class HeldSeats:
    """A hold, with its show and venue, and its seats with their tiers in the order of the plan.

    is_open: it can still be bought. seconds_left: until it lapses, rounded up; 0 when it is not open. The seats are
    those that the hold was for, even when it has ended and they went to somebody else.
    """

    hold: Hold
    seats: list[Seat]
    is_open: bool
    seconds_left: int


def offers_as_counted(*, show_ids: Sequence[int]) -> list[Offer]:
    """These shows in this order, with the counts of the read model; for pages that show many of them. One query."""
    shows = with_counts(_priced(Show.objects.filter(pk__in=show_ids)))
    offers = {show.pk: _offer(show) for show in shows}
    return [offers[show_id] for show_id in show_ids if show_id in offers]


def with_counts(shows: QuerySet[Any]) -> QuerySet[Any]:
    """Annotates ``seats_free``, ``seats_total`` and ``price_from``, the cheapest price of a free seat, or of all where
    none is free: as counted last, or from the seats themselves where a show was never counted."""
    return shows.annotate(
        seats_free=Coalesce(F("availability__free"), _seats(seat_is_free())),
        seats_total=Coalesce(F("availability__total"), _seats()),
        price_from=Coalesce(F("availability__price_from"), _price(Min("price"))),
    )


def show_by_slug(*, slug: str) -> Offer:
    """The show of this address, its ``tiers`` prefetched in the order of the price list. Two queries.

    Shows that are over, postponed or cancelled are found too. Raises UnknownShow, also for a draft.
    """
    shows = Show.objects.exclude(status=Show.Status.DRAFT).filter(slug=slug)
    show = _offered(shows).prefetch_related("tiers").first()
    if show is None:
        raise UnknownShow
    return _offer(show)


def announced_show(*, slug: str) -> Show:
    """The show of this address with its ``tiers``, and nothing about its seats. Two queries.

    Raises UnknownShow, also for a draft.
    """
    show = Show.objects.exclude(status=Show.Status.DRAFT).filter(slug=slug).prefetch_related("tiers").first()
    if show is None:
        raise UnknownShow
    return show


def seats_of_show(*, show_id: int) -> list[SeatState]:
    """All seats of the show in the order of the plan. One query."""
    state = Case(When(seat_is_free(), then=Value("free")), default=F("status"), output_field=CharField())
    seats = Seat.objects.filter(show_id=show_id).select_related("tier").order_by("position")
    return [SeatState(seat, seat.state) for seat in seats.annotate(state=state)]


def some_seats_of_show(*, show_id: int, first: int, last: int, ids: Sequence[int]) -> list[SeatState]:
    """The seats of the show between these positions in the plan, these two included, and those with these ids, in the
    order of the plan; without their tiers. One query."""
    state = Case(When(seat_is_free(), then=Value("free")), default=F("status"), output_field=CharField())
    which = Q(position__gte=first, position__lte=last) | Q(pk__in=ids)
    seats = Seat.objects.filter(which, show_id=show_id).order_by("position").annotate(state=state)
    return [SeatState(seat, seat.state) for seat in seats]


def availability(*, show_id: int) -> Availability:
    """How many seats of the show are free, held, sold and blocked. One query."""
    free = seat_is_free()
    counts = Seat.objects.filter(show_id=show_id).aggregate(
        free=Count("id", filter=free),
        held=Count("id", filter=Q(status=Seat.Status.HELD, hold__expires_at__gt=DatabaseNow())),
        sold=Count("id", filter=Q(status=Seat.Status.SOLD)),
        blocked=Count("id", filter=Q(status=Seat.Status.BLOCKED)),
    )
    return Availability(**counts)


def hold_by_token(*, token: UUID) -> HeldSeats:
    """The hold with this secret. Two queries. Raises UnknownHold."""
    # A second that has begun counts: an open hold has one at least, and who counts them down is never early.
    left = Cast(Ceil(Extract(F("expires_at") - DatabaseNow(), "epoch", output_field=FloatField())), IntegerField())
    hold = (
        Hold.objects.select_related("show__venue")
        .annotate(
            is_open=ExpressionWrapper(hold_is_open(), output_field=BooleanField()),
            seconds_left=Greatest(left, Value(0)),
        )
        .filter(token=token)
        .first()
    )
    if hold is None:
        raise UnknownHold
    seats = Seat.objects.filter(pk__in=hold.seat_ids).select_related("tier").order_by("position")
    return HeldSeats(
        hold=hold,
        seats=list(seats),
        is_open=hold.is_open,
        seconds_left=hold.seconds_left if hold.is_open else 0,
    )


def seats_still_free(*, seat_ids: Sequence[int]) -> set[int]:
    """Those of the seats that anybody could take now. One query."""
    return set(Seat.objects.filter(seat_is_free(), pk__in=seat_ids).values_list("pk", flat=True))


def successor_of(*, hold_id: int) -> Hold | None:
    """The newest hold that came in the place of this one, annotated ``is_open``. One query, by hold_by_follows."""
    later = Hold.objects.filter(follows_id=hold_id, pk__gt=hold_id).order_by("-pk")
    return later.annotate(is_open=ExpressionWrapper(hold_is_open(), output_field=BooleanField())).first()


def _offered(shows: QuerySet[Show]) -> QuerySet[Any]:
    return _priced(shows).annotate(
        price_from=_price(Min("price")),
        seats_free=_seats(seat_is_free()),
        seats_total=_seats(),
    )


def _priced(shows: QuerySet[Show]) -> QuerySet[Any]:
    return shows.select_related("venue").annotate(
        sells=ExpressionWrapper(show_sells(), output_field=BooleanField()),
        opens_later=ExpressionWrapper(opens_later(), output_field=BooleanField()),
        price_to=_price(Max("price")),
    )


def _seats(*which: Q) -> Coalesce:
    seats = Seat.objects.filter(*which, show=OuterRef("pk"))
    return Coalesce(Subquery(_over_all(seats, Count("*"))), 0)


def _price(figure: Min | Max) -> Subquery:
    return Subquery(_over_all(PriceTier.objects.filter(show=OuterRef("pk")), figure))


def _over_all(rows: QuerySet[Any], figure: Min | Max | Count) -> QuerySet[Any]:
    """One figure over all rows of one show, as a subquery needs it."""
    return rows.order_by().values("show").annotate(figure=figure).values("figure")


def _offer(show: Any) -> Offer:
    return Offer(
        show=show,
        sells=show.sells,
        opens_later=show.opens_later,
        price_from=None if show.price_from is None else Money(show.price_from, show.currency),
        price_to=None if show.price_to is None else Money(show.price_to, show.currency),
        seats_free=show.seats_free,
        seats_total=show.seats_total,
    )
