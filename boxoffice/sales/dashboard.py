"""Everything that the page of sales shows, read once. It writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

from django.db.models import Q, QuerySet
from django.utils import dateformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.models import Order, Payment
from boxoffice.sales.asked import Asked
from boxoffice.sales.charts import Chart, Point, by_days_or_weeks, column_chart
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
from boxoffice.sales.read_takings import Sum, TakingsOf, read_takings
from inventory.models import Show
from inventory.money import Money, decimals_of

SHOWS_TO_COME = 25
"""Rows of the table of how full shows are: what one looks through. The filter finds the others."""


@dataclass(frozen=True)
class Row:
    """A line of a table. share: of the whole, as "12.5%", for its bar."""

    name: str
    sum: Sum
    note: str = ""
    share: str = "0%"
    show_id: int = 0


@dataclass(frozen=True)
class DayRow:
    """A day, or the week from it on, with what the chart shows of it."""

    name: str
    sum: Sum


@dataclass(frozen=True)
class Section:
    """What was taken in one currency."""

    currency: str
    all: Sum
    money: Chart
    seats: Chart
    days: Sequence[DayRow]
    tables: Sequence[tuple[str, str, Sequence[Row]]]

    @property
    def average(self) -> Money | None:
        """What a seat cost that was sold."""
        return Money(round(self.all.gross / self.all.sold), self.currency) if self.all.sold else None


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
        sections=[_section(each, asked=asked, shows=named) for each in takings],
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


def day_in_words(day: date) -> str:
    """ "Fri 12 Dec 2026"."""
    return dateformat.format(day, pgettext("day, in Django's date format", "D j M Y"))


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


def _section(takings: TakingsOf, *, asked: Asked, shows: Sequence[Show]) -> Section:
    starts, length = by_days_or_weeks(first=asked.first, last=asked.last)
    sums = [
        _added(takings.currency, (takings.days.get(start + timedelta(days=nth)) for nth in range(length)))
        for start in starts
    ]
    chart: Callable[..., Chart] = partial(column_chart, day_in_words=_briefly, by_week=length > 1)
    name = _week if length > 1 else day_in_words
    return Section(
        currency=takings.currency,
        all=takings.all,
        money=chart(
            points=[Point(s, each.gross, each.refunded, _money_words(name(s), each)) for s, each in _zip(starts, sums)],
            in_words=lambda amount: _round_money(amount, takings.currency),
            unit=10 ** decimals_of(takings.currency),
        ),
        seats=chart(
            points=[Point(s, each.sold, each.given_back, _seat_words(name(s), each)) for s, each in _zip(starts, sums)],
            in_words=lambda count: number_format(count, force_grouping=True),
        ),
        days=[DayRow(name(start), each) for start, each in reversed(_zip(starts, sums))],
        tables=_tables(takings, shows=shows, alone=asked.show is not None),
    )


def _zip(starts: Sequence[date], sums: Sequence[Sum]) -> list[tuple[date, Sum]]:
    return list(zip(starts, sums, strict=True))


def _tables(takings: TakingsOf, *, shows: Sequence[Show], alone: bool) -> list[tuple[str, str, Sequence[Row]]]:
    channels, methods = dict(Order.Channel.choices), dict(Payment.Method.choices)

    def way(key: tuple[str, bool]) -> str:
        method, complimentary = key
        if complimentary:
            return _("complimentary")
        return str(methods[Payment.Method(method)]) if method else _("nothing to pay")

    by_show = _by_net(
        Row(show.title, takings.shows[show.pk], note=day_in_words(show.starts_at_local.date()), show_id=show.pk)
        for show in shows
        if show.pk in takings.shows
    )
    tables = [
        ("show", _("By show"), by_show),
        ("tier", _("By tier"), [Row(name, each) for name, each in takings.tiers.items()]),
        (
            "channel",
            _("By place of sale"),
            _by_net(Row(str(channels[Order.Channel(key)]), each) for key, each in takings.channels.items()),
        ),
        ("way", _("By way of paying"), _by_net(Row(way(key), each) for key, each in takings.ways.items())),
    ]
    return [(key, title, _with_shares(rows)) for key, title, rows in tables if not (alone and key == "show")]


def _by_net(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -row.sum.net)


def _with_shares(rows: Sequence[Row]) -> list[Row]:
    """Bars of what was taken net, the longest one whole; none for what is not above zero."""
    longest = max((row.sum.net for row in rows), default=0)
    return [
        Row(
            row.name,
            row.sum,
            row.note,
            f"{100 * max(row.sum.net, 0) / longest:.1f}%" if longest > 0 else "0%",
            row.show_id,
        )
        for row in rows
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"


def _percent(part: int, whole: int) -> str:
    return number_format(100 * part / whole if whole else 0, decimal_pos=1)


def _added(currency: str, sums: Iterable[Sum | None]) -> Sum:
    present = [each for each in sums if each is not None]
    return Sum(
        currency,
        sum(each.sold for each in present),
        sum(each.gross for each in present),
        sum(each.given_back for each in present),
        sum(each.refunded for each in present),
    )


def _briefly(day: date) -> str:
    return dateformat.format(day, pgettext("day and month in a chart, in Django's date format", "j M"))


def _week(monday: date) -> str:
    return _("Week from %(day)s") % {"day": day_in_words(monday)}


def _round_money(amount: int, currency: str) -> str:
    """An amount that is whole: a chart's lines and labels need no cents."""
    decimals = decimals_of(currency)
    text = Money(amount - amount % 10**decimals, currency).format()
    return text.replace(".00" if "." in text[-6:] and decimals == 2 else ",00", "", 1) if decimals == 2 else text


def _money_words(day: str, each: Sum) -> str:
    values = {"day": day, "gross": each.gross_money, "refunded": each.refunded_money, "net": each.net_money}
    return _("%(day)s: %(gross)s gross, %(refunded)s refunded, %(net)s net") % values


def _seat_words(day: str, each: Sum) -> str:
    values = {"day": day, "sold": number_format(each.sold, force_grouping=True), "given_back": each.given_back}
    return _("%(day)s: %(sold)s seats sold, %(given_back)s given back") % values
