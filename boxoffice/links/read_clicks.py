"""Reading the clicks of a period, and the orders that came through links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from snip.log.streams import stream_names
from snip.models import ClickDay

# A row for each day and hour, one for each country and each referrer. links: all where that is NULL. By
# click_day_once, for all of them by click_day_by_day.
CLICKS = """
    SELECT CASE WHEN by = %(hour)s THEN day END AS of_day, by, value, is_bot, sum(clicks)
      FROM snip_clickday
     WHERE day BETWEEN %(first)s AND %(last)s
       AND (%(links)s::bigint[] IS NULL
            OR code IN (SELECT code FROM snip_linkcode WHERE link_id = ANY(%(links)s::bigint[])))
     GROUP BY of_day, by, value, is_bot
"""
# The links with the most clicks of people. By the same.
BY_LINK = """
    SELECT c.link_id, sum(d.clicks) FILTER (WHERE NOT d.is_bot), sum(d.clicks) FILTER (WHERE d.is_bot)
      FROM snip_clickday AS d JOIN snip_linkcode AS c ON c.code = d.code
     WHERE d.day BETWEEN %(first)s AND %(last)s AND d.by = %(hour)s
       AND (%(links)s::bigint[] IS NULL OR c.link_id = ANY(%(links)s::bigint[]))
     GROUP BY c.link_id ORDER BY 2 DESC NULLS LAST, 3 DESC NULLS LAST, 1 LIMIT %(most)s
"""
# Orders that were confirmed, with what is left of them now. shows: those whose sales may be seen; NULL for all. By
# order_by_link and orderline_seat_once.
SALES = """
    SELECT c.link_id, o.currency, count(DISTINCT o.id),
           count(line.id) FILTER (WHERE line.refunded_at IS NULL),
           coalesce(sum(line.price) FILTER (WHERE line.refunded_at IS NULL), 0)::bigint
      FROM boxoffice_order AS o
      JOIN snip_linkcode AS c ON c.code = o.link_code
      LEFT JOIN boxoffice_orderline AS line ON line.order_id = o.id
     WHERE o.link_code <> '' AND o.confirmed_at >= %(since)s AND o.confirmed_at < %(before)s
       AND (%(links)s::bigint[] IS NULL OR c.link_id = ANY(%(links)s::bigint[]))
       AND (%(shows)s::bigint[] IS NULL OR o.show_id = ANY(%(shows)s::bigint[]))
     GROUP BY c.link_id, o.currency ORDER BY 5 DESC, 3 DESC, 1
"""
# One row for each stream. A stream that nobody has begun to read has none.
AS_OF = """
    SELECT jobs_now(), min(complete_until), count(complete_until) FROM snip_archiveprogress
     WHERE stream = ANY(%(streams)s::text[])
"""

Pair = tuple[int, int]
"""Clicks of people, and of bots."""


@dataclass(frozen=True)
class ClicksAsOf:
    """Every click that the log had at ``complete_until`` is in the figures; None while some stream was never read."""

    now: datetime
    complete_until: datetime | None


@dataclass
class Clicks:
    """What was clicked, each a pair. hours: by day and hour of the day."""

    hours: dict[tuple[date, int], Pair] = field(default_factory=dict)
    countries: dict[str, Pair] = field(default_factory=dict)
    referrers: dict[str, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Sold:
    """What orders that came through a link took, in one currency; less what was given back."""

    link_id: int
    currency: str
    orders: int
    seats: int
    amount: int


def read_clicks(*, first: date, last: date, link_ids: Sequence[int] | None) -> Clicks:
    """The clicks of these days, in UTC, on these links; None for all. One query."""
    found = Clicks()
    for day, by, value, is_bot, count in _rows(CLICKS, first=first, last=last, links=_listed(link_ids)):
        if by == ClickDay.By.HOUR:
            _add(found.hours, (day, int(value)), int(count), is_bot=is_bot)
        else:
            of = found.countries if by == ClickDay.By.COUNTRY else found.referrers
            _add(of, value, int(count), is_bot=is_bot)
    return found


def read_clicks_by_link(
    *, first: date, last: date, link_ids: Sequence[int] | None, most: int
) -> list[tuple[int, Pair]]:
    """The links with the most clicks, by their ids, ``most`` of them. One query."""
    rows = _rows(BY_LINK, first=first, last=last, links=_listed(link_ids), most=most)
    return [(link_id, (int(people or 0), int(bots or 0))) for link_id, people, bots in rows]


def read_sold(*, first: date, last: date, link_ids: Sequence[int] | None, show_ids: Sequence[int] | None) -> list[Sold]:
    """Orders confirmed on these days, in UTC, that came through these links, of these shows; None for all. A query."""
    since = datetime.combine(first, time(), UTC)
    before = datetime.combine(last, time(), UTC) + timedelta(days=1)
    values = {"since": since, "before": before, "links": _listed(link_ids), "shows": _listed(show_ids)}
    return [Sold(*row) for row in _rows(SALES, **values)]


def read_clicks_as_of() -> ClicksAsOf:
    """How far the log is rolled up. One query."""
    streams = list(stream_names(settings.SNIP_STREAMS))
    ((now, complete_until, read),) = _rows(AS_OF, streams=streams)
    return ClicksAsOf(now=now, complete_until=complete_until if read == len(streams) else None)


def _add(of: dict[Any, Pair], key: Any, count: int, *, is_bot: bool) -> None:
    people, bots = of.get(key, (0, 0))
    of[key] = (people, bots + count) if is_bot else (people + count, bots)


def _rows(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"hour": ClickDay.By.HOUR.value, **values})
        return cursor.fetchall()


def _listed(ids: Sequence[int] | None) -> list[int] | None:
    return None if ids is None else list(ids)
