"""What was taken in one currency, as the page shows it: sums, two charts, and tables. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from django.utils import dateformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.models import Order, Payment
from boxoffice.sales.asked import Asked
from boxoffice.sales.charts import Chart, Point, by_days_or_weeks, column_chart
from boxoffice.sales.read_takings import Sum, TakingsOf
from inventory.models import Show
from inventory.money import Money, decimals_of


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


def section_of(takings: TakingsOf, *, asked: Asked, shows: Sequence[Show]) -> Section:
    """The section of this currency. shows: whose names the table by show needs."""
    starts, length = by_days_or_weeks(first=asked.first, last=asked.last)
    sums = [
        _added(takings.currency, (takings.days.get(start + timedelta(days=nth)) for nth in range(length)))
        for start in starts
    ]
    chart: Callable[..., Chart] = partial(column_chart, day_in_words=briefly, by_week=length > 1)
    name = week_in_words if length > 1 else day_in_words
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


def day_in_words(day: date) -> str:
    """ "Fri 12 Dec 2026"."""
    return dateformat.format(day, pgettext("day, in Django's date format", "D j M Y"))


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


def _added(currency: str, sums: Iterable[Sum | None]) -> Sum:
    present = [each for each in sums if each is not None]
    return Sum(
        currency,
        sum(each.sold for each in present),
        sum(each.gross for each in present),
        sum(each.given_back for each in present),
        sum(each.refunded for each in present),
    )


def briefly(day: date) -> str:
    """ "12 Dec", for a chart."""
    return dateformat.format(day, pgettext("day and month in a chart, in Django's date format", "j M"))


def week_in_words(monday: date) -> str:
    """ "Week from Mon 7 Dec 2026"."""
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
