"""Everything that the page of clicks shows, read once. It writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from boxoffice.links.clicks_form import ClicksAsked, name_of, with_codes
from boxoffice.links.live_clicks import live_clicks
from boxoffice.links.read_clicks import (
    Clicks,
    ClicksAsOf,
    Pair,
    Sold,
    read_clicks,
    read_clicks_as_of,
    read_clicks_by_link,
    read_sold,
)
from boxoffice.sales.charts import Chart, Point, by_days_or_weeks, column_chart
from boxoffice.sales.section import briefly, day_in_words, week_in_words
from inventory.models import Show
from inventory.money import Money
from snip.archive.roll_up import OTHERS
from snip.models import Link

PROMISED = timedelta(minutes=5)
"""How old the figures may be before the page says that they are late."""

SHOWN = 25
"""Rows of a table: what one looks through."""

HOURS_UNTIL = 2
"""Days up to which a column is an hour."""


@dataclass(frozen=True)
class ClickRow:
    """A line of a table. share: of the longest bar, as "12.5%"."""

    name: str
    people: int
    bots: int
    share: str = "0%"
    link_id: int = 0


@dataclass(frozen=True)
class SoldRow:
    """What came through one link, in one currency."""

    name: str
    orders: int
    seats: int
    money: Money
    link_id: int


@dataclass(frozen=True)
class ClicksPage:
    """The page. sold: None for who may see no sales. live: None where it cannot be had. of_own_shows: whether sales
    of shows that are not his are left out.
    """

    asked: ClicksAsked
    as_of: ClicksAsOf
    people: int
    bots: int
    over_time: Chart
    by_hour_columns: bool
    times: Sequence[ClickRow]
    over_day: Chart
    hours: Sequence[ClickRow]
    tables: Sequence[tuple[str, str, Sequence[ClickRow], int]]
    sold: Sequence[SoldRow] | None
    of_own_shows: bool
    live: int | None

    @property
    def is_late(self) -> bool:
        """Whether the figures are older than the page promises."""
        return self.as_of.complete_until is None or self.as_of.now - self.as_of.complete_until > PROMISED


def look_over_clicks(
    *, asked: ClicksAsked, links: QuerySet[Link], sees_all: bool, shows: QuerySet[Show] | None, sees_all_shows: bool
) -> ClicksPage:
    """Read the clicks on these links as asked for. sees_all: they are all that there are. shows: whose sales may be
    seen, None for no sales. Nine queries at most, and Redis.
    """
    link_ids = [asked.link.pk] if asked.link else None if sees_all else list(links.values_list("pk", flat=True))
    as_of = read_clicks_as_of()
    clicks = read_clicks(first=asked.first, last=asked.last, link_ids=link_ids)
    top = read_clicks_by_link(first=asked.first, last=asked.last, link_ids=link_ids, most=SHOWN)
    sold = []
    if shows is not None:
        show_ids = None if sees_all_shows else list(shows.values_list("pk", flat=True))
        sold = read_sold(first=asked.first, last=asked.last, link_ids=link_ids, show_ids=show_ids)[:SHOWN]
    ids = {link_id for link_id, _pair in top} | {each.link_id for each in sold}
    names = {link.pk: name_of(link) for link in with_codes(Link.objects.filter(pk__in=ids))}
    points, is_by_hour, length = _points(asked, clicks)
    hours = [_sum(pair for (_day, hour), pair in clicks.hours.items() if hour == each) for each in range(24)]
    people, bots = _sum(clicks.hours.values())
    return ClicksPage(
        asked=asked,
        as_of=as_of,
        people=people,
        bots=bots,
        over_time=_chart(points, by_week=length > 1, label=_hour if is_by_hour else briefly),
        by_hour_columns=is_by_hour,
        times=[ClickRow(name, point.came, point.went) for name, point in reversed(_named(points, is_by_hour, length))],
        over_day=_chart(_of_the_day(hours), by_week=False, label=_hour),
        hours=[ClickRow(f"{hour:02}:00", *pair) for hour, pair in enumerate(hours)],
        tables=_tables(clicks, top=top if asked.link is None else (), names=names),
        sold=None if shows is None else [_sold_row(each, names) for each in sold],
        of_own_shows=not sees_all_shows,
        live=live_clicks(link_ids=link_ids),
    )


def _points(asked: ClicksAsked, clicks: Clicks) -> tuple[list[Point], bool, int]:
    """A column for each hour, day or week; whether they are hours; and how many days a column has."""
    if (asked.last - asked.first).days < HOURS_UNTIL:
        first, end = (datetime.combine(day, time(), UTC) for day in (asked.first, asked.last + timedelta(days=1)))
        starts = [first + timedelta(hours=nth) for nth in range(int((end - first) / timedelta(hours=1)))]
        pairs = [clicks.hours.get((start.date(), start.hour), (0, 0)) for start in starts]
        named = [(start, _day_and_hour(start)) for start in starts]
        return (
            [Point(start, *pair, _words(name, pair)) for (start, name), pair in zip(named, pairs, strict=True)],
            True,
            1,
        )
    days: dict[date, Pair] = {}
    for (day, _hour_of), pair in clicks.hours.items():
        days[day] = _sum((days.get(day, (0, 0)), pair))
    starts_of, length = by_days_or_weeks(first=asked.first, last=asked.last)
    points = []
    for start in starts_of:
        pair = _sum(days.get(start + timedelta(days=nth), (0, 0)) for nth in range(length))
        points.append(Point(start, *pair, _words(_name_of_days(start, length), pair)))
    return points, False, length


def _of_the_day(hours: Sequence[Pair]) -> list[Point]:
    some_day = datetime(2000, 1, 1, tzinfo=UTC)
    return [
        Point(some_day + timedelta(hours=hour), *pair, _words(f"{hour:02}:00", pair)) for hour, pair in enumerate(hours)
    ]


def _chart(points: Sequence[Point], *, by_week: bool, label: object) -> Chart:
    return column_chart(
        points=points,
        in_words=lambda count: number_format(count, force_grouping=True),
        day_in_words=label,  # type: ignore[arg-type]
        by_week=by_week,
    )


def _named(points: Sequence[Point], is_by_hour: bool, length: int) -> list[tuple[str, Point]]:
    return [
        (_day_and_hour(point.first) if is_by_hour else _name_of_days(point.first, length), point) for point in points
    ]


def _name_of_days(start: date, length: int) -> str:
    return week_in_words(start) if length > 1 else day_in_words(start)


def _day_and_hour(start: date) -> str:
    return f"{briefly(start)}, {_hour(start)}"


def _hour(start: date) -> str:
    return f"{start:%H}:00"


def _words(when: str, pair: Pair) -> str:
    people, bots = (number_format(count, force_grouping=True) for count in pair)
    return _("%(when)s: %(people)s clicks, and %(bots)s of bots") % {"when": when, "people": people, "bots": bots}


def _tables(
    clicks: Clicks, *, top: Sequence[tuple[int, Pair]], names: Mapping[int, str]
) -> list[tuple[str, str, Sequence[ClickRow], int]]:
    """Each with its key, its heading, the rows that are shown, and how many are not."""
    by_link = [ClickRow(names.get(link_id, str(link_id)), *pair, link_id=link_id) for link_id, pair in top]
    countries = [ClickRow(code or _("not known"), *pair) for code, pair in clicks.countries.items()]
    words = {"": _("none told"), OTHERS: _("all others")}
    referrers = [ClickRow(words.get(host, host), *pair) for host, pair in clicks.referrers.items()]
    named = (
        ("link", _("By link"), by_link),
        ("country", _("By country"), countries),
        ("referrer", _("By referrer"), referrers),
    )
    return [(key, heading, *_most(rows)) for key, heading, rows in named if rows]


def _most(rows: Iterable[ClickRow]) -> tuple[list[ClickRow], int]:
    ordered = sorted(rows, key=lambda row: (-row.people, -row.bots, row.name))
    longest = ordered[0].people if ordered else 0
    shown = [
        ClickRow(row.name, row.people, row.bots, f"{100 * row.people / longest:.1f}%" if longest else "0%", row.link_id)
        for row in ordered[:SHOWN]
    ]
    return shown, len(ordered) - len(shown)


def _sold_row(sold: Sold, names: Mapping[int, str]) -> SoldRow:
    name = names.get(sold.link_id, str(sold.link_id))
    return SoldRow(name, sold.orders, sold.seats, Money(sold.amount, sold.currency), sold.link_id)


def _sum(pairs: Iterable[Pair]) -> Pair:
    people = bots = 0
    for pair in pairs:
        people, bots = people + pair[0], bots + pair[1]
    return people, bots
