"""Everything that the page of sales shows, read once. It writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from boxoffice.sales.asked import Asked
from boxoffice.sales.fullness import Fullness, how_full
from boxoffice.sales.read_house import (
    AsOf,
    Conversion,
    InFlight,
    read_as_of,
    read_conversion,
    read_in_flight,
    read_seats,
)
from boxoffice.sales.read_takings import read_takings
from boxoffice.sales.section import Section, day_in_words, section_of
from inventory.models import Show

SHOWS_TO_COME = 25
"""Rows of the table of how full shows are: what one looks through. The filter finds the others."""


@dataclass(frozen=True)
class Step:
    """One on the way from a hold to an order that is paid. share: of the holds, as "12.5%"."""

    name: str
    count: int
    share: str
    percent: str


@dataclass(frozen=True)
class Dashboard:
    """The page."""

    asked: Asked
    as_of: AsOf
    sections: Sequence[Section]
    full: Sequence[Fullness]
    more_to_come: int
    tiers: Sequence[Fullness]
    in_flight: InFlight
    conversion: Conversion
    conversion_days: Sequence[tuple[str, Conversion]]

    @property
    def steps(self) -> list[Step]:
        """From all holds to those that were paid."""
        of = self.conversion
        named = ((_("Seats chosen"), of.holds), (_("Order placed"), of.orders), (_("Paid and confirmed"), of.paid))
        return [Step(name, count, _share(count, of.holds), _percent(count, of.holds)) for name, count in named]


def look_over(*, asked: Asked, shows: QuerySet[Show], sees_all: bool) -> Dashboard:
    """Read the sales of these shows as asked for. sees_all: ``shows`` are all that there are. Seven queries."""
    show_ids = _wanted(asked, shows=shows, sees_all=sees_all)
    as_of = read_as_of(show_ids=show_ids)
    takings = read_takings(asked=asked, show_ids=show_ids)
    in_flight = read_in_flight(show_ids=show_ids)
    conversion = read_conversion(asked=asked, show_ids=show_ids)
    of_money = {show_id for each in takings for show_id in each.shows}
    to_come = Q(starts_at__gt=as_of.now, status__in=(Show.Status.SCHEDULED, Show.Status.POSTPONED))
    wanted = shows if show_ids is None else Show.objects.filter(pk__in=show_ids)
    if asked.show is not None:
        to_come = Q(pk=asked.show.pk)
    named = list(wanted.filter(Q(pk__in=of_money) | to_come).select_related("venue").order_by("starts_at", "pk"))
    coming = [show for show in named if show.pk == getattr(asked.show, "pk", 0) or _comes(show, now=as_of.now)]
    seats = read_seats(show_ids=[show.pk for show in coming[:SHOWS_TO_COME]])
    shown = coming[:SHOWS_TO_COME]
    return Dashboard(
        asked=asked,
        as_of=as_of,
        sections=[section_of(each, asked=asked, shows=named) for each in takings],
        full=[how_full(show, tiers=seats.get(show.pk, ()), held=in_flight.get(show.pk)) for show in shown],
        more_to_come=len(coming) - len(shown),
        tiers=[how_full(asked.show, tiers=[tier], name=tier.name) for tier in seats.get(asked.show.pk, ())]
        if asked.show
        else (),
        in_flight=InFlight(*(sum(each) for each in zip(*map(_figures, in_flight.values()), strict=True)))
        if in_flight
        else InFlight(),
        conversion=_summed(conversion.values()),
        conversion_days=[(day_in_words(day), each) for day, each in sorted(conversion.items(), reverse=True)],
    )


def _wanted(asked: Asked, *, shows: QuerySet[Show], sees_all: bool) -> list[int] | None:
    """The ids of the shows that are meant; None for all that there are."""
    if asked.show is not None:
        return [asked.show.pk]
    if asked.venue is not None:
        shows = shows.filter(venue=asked.venue)
    elif sees_all:
        return None
    return list(shows.values_list("pk", flat=True))


def _comes(show: Show, *, now: datetime) -> bool:
    return show.starts_at > now and show.status in (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def _figures(each: InFlight) -> tuple[int, int, int]:
    return each.holds, each.seats, each.buying


def _summed(days: Iterable[Conversion]) -> Conversion:
    holds = orders = paid = 0
    for each in days:
        holds, orders, paid = holds + each.holds, orders + each.orders, paid + each.paid
    return Conversion(holds, orders, paid)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"


def _percent(part: int, whole: int) -> str:
    return number_format(100 * part / whole if whole else 0, decimal_pos=1)
