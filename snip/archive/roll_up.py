"""Rolling clicks up by code and day: by hour, country and referrer, bots apart.

Guarantee: each entry of the log is in the sums once, whatever dies in between and however many archivers run. The sums
and the place up to which the stream was read change in one transaction, and only if the place is still where this
archiver began: who comes second changes nothing. A click that a writer has sent twice counts once, if its copies are
within two minutes of each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from jobs.clock import database_now
from snip.archive.metrics import ROLLED_UP, UNTIMELY
from snip.archive.read_log import Page, Place, Reader
from snip.event import Click
from snip.log.bounds import KEPT
from snip.models import ArchiveProgress, ClickDay
from snip.uuid7 import EPOCH

AHEAD = timedelta(hours=1)
"""How far the clock of a redirect's machine may be ahead before its clicks are in no sum."""

MOST_VALUES = 200
"""Referrers of a code and day that have a row of their own. They come from visitors, who may invent as many as they
like; what is over the bound is added to ``OTHERS``.
"""

OTHERS = "…"

# Rows are made when the archiver first meets a stream. By the primary key.
BEGIN = "INSERT INTO snip_archiveprogress (stream) VALUES (%(stream)s) ON CONFLICT DO NOTHING"

# Whoever is second finds another place, and no row. By the primary key.
ADVANCE = """
    UPDATE snip_archiveprogress
       SET milliseconds = %(to_ms)s, number = %(to_number)s,
           complete_until = greatest(complete_until, %(complete_until)s)
     WHERE stream = %(stream)s AND milliseconds = %(from_ms)s AND number = %(from_number)s
"""

# In the order of the key, so that archivers of other streams, which write the same rows, wait and do not lock each
# other out. Referrers that are new to a code and day get what rows are left for them, the most frequent first; those
# beyond go to the others. By click_day_once.
ADD = """
    WITH batch AS (
        SELECT * FROM unnest(%(codes)s::text[], %(days)s::date[], %(bys)s::smallint[], %(values)s::text[],
                             %(bots)s::boolean[], %(clicks)s::bigint[]) AS b (code, day, by, value, is_bot, clicks)
    ), named AS (
        SELECT code, day, value, is_bot, sum(clicks) AS clicks FROM batch
         WHERE by = %(referrer)s GROUP BY code, day, value, is_bot
    ), crowded AS (
        SELECT n.code, n.day, held.number AS held
          FROM (SELECT code, day, count(*) AS number FROM named GROUP BY code, day) AS n
         CROSS JOIN LATERAL (
               SELECT count(*) AS number FROM snip_clickday AS d
                WHERE d.code = n.code AND d.day = n.day AND d.by = %(referrer)s) AS held
         WHERE held.number + n.number > %(most)s
    ), fresh AS (
        SELECT n.code, n.day, n.value, n.is_bot, c.held + row_number() OVER (
                   PARTITION BY n.code, n.day ORDER BY n.clicks DESC, n.value, n.is_bot) AS place
          FROM named AS n JOIN crowded AS c ON c.code = n.code AND c.day = n.day
         WHERE NOT EXISTS (
               SELECT 1 FROM snip_clickday AS d
                WHERE (d.code, d.day, d.by, d.value, d.is_bot)
                    = (n.code, n.day, %(referrer)s, n.value, n.is_bot))
    ), placed AS (
        SELECT b.code, b.day, b.by, b.is_bot, b.clicks,
               CASE WHEN f.place > %(most)s THEN %(others)s ELSE b.value END AS value
          FROM batch AS b
          LEFT JOIN fresh AS f ON b.by = %(referrer)s
               AND (f.code, f.day, f.value, f.is_bot) = (b.code, b.day, b.value, b.is_bot)
    )
    INSERT INTO snip_clickday AS held (code, day, by, value, is_bot, clicks)
    SELECT code, day, by, value, is_bot, sum(clicks) FROM placed
     GROUP BY code, day, by, value, is_bot ORDER BY code, day, by, value, is_bot
    ON CONFLICT (code, day, by, value, is_bot) DO UPDATE SET clicks = held.clicks + excluded.clicks
"""


UNTOLD = timedelta(seconds=15)
"""For so long nobody writes down that nothing has come: an idle house makes few writes."""


class Overtaken(Exception):
    """Another archiver has read this stream further. Nothing was changed; begin again where it stands now."""


@dataclass(frozen=True)
class Rolled:
    """What one pass over a stream did. to: where it stands now."""

    clicks: int
    to: Place


def begin(*, stream: str) -> ArchiveProgress:
    """How far the stream is, from its beginning on when it is new. One query, three for a new one."""
    progress = ArchiveProgress.objects.filter(pk=stream).first()
    if progress is not None:
        return progress
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, {"stream": stream})
    return ArchiveProgress.objects.get(pk=stream)


def roll_up(*, reader: Reader, progress: ArchiveProgress) -> Rolled:
    """Add what stands in the stream after ``progress``; one transaction for each page of it.

    Not inside a transaction. Raises RedisError, Django's database errors, and Overtaken; what was added stays.
    """
    stream, place, clicks = progress.stream, place_in(progress), 0
    looked_at = database_now()
    for page in reader.pages(after=place):
        complete_until = looked_at if page.is_end else min(_instant(page.last), looked_at)
        add_page(stream=stream, page=page, after=place, complete_until=complete_until, now=looked_at)
        place, clicks = page.last, clicks + len(page.clicks)
        if page.is_end:
            break
        looked_at = database_now()
    else:
        if progress.complete_until is None or looked_at - progress.complete_until > UNTOLD:
            _advance(stream=stream, after=place, to=place, complete_until=looked_at)
    return Rolled(clicks, place)


def place_in(progress: ArchiveProgress) -> Place:
    """Where the stream stands."""
    return Place(progress.milliseconds, progress.number)


def add_page(*, stream: str, page: Page, after: Place, complete_until: datetime, now: datetime) -> None:
    """Add the page's clicks to the sums and move the place from ``after`` to its end, both or neither. Two statements.

    Raises Overtaken.
    """
    timely = [click for click in page.clicks if _is_timely(click, now=now)]
    with transaction.atomic():
        _advance(stream=stream, after=after, to=page.last, complete_until=complete_until)
        if timely:
            _add(timely)
    ROLLED_UP.inc(len(timely))
    UNTIMELY.inc(len(page.clicks) - len(timely))


def _advance(*, stream: str, after: Place, to: Place, complete_until: datetime) -> None:
    values: dict[str, Any] = {
        "stream": stream,
        "from_ms": after.milliseconds,
        "from_number": after.number,
        "to_ms": to.milliseconds,
        "to_number": to.number,
        "complete_until": complete_until,
    }
    with connection.cursor() as cursor:
        cursor.execute(ADVANCE, values)
        if cursor.rowcount == 0:
            raise Overtaken


def _add(clicks: Sequence[Click]) -> None:
    met = Counter((click.code, _hours(click), click.country, click.referrer, click.is_bot) for click in clicks)
    sums: Counter[tuple[str, datetime, int, str, bool]] = Counter()
    for (code, hours, country, referrer, is_bot), count in met.items():
        begins = EPOCH + timedelta(hours=hours)
        for by, value in (
            (ClickDay.By.HOUR, f"{begins:%H}"),
            (ClickDay.By.COUNTRY, country),
            (ClickDay.By.REFERRER, referrer),
        ):
            sums[code, begins, by.value, value, is_bot] += count
    rows = [(code, at.date(), by, value, is_bot, count) for (code, at, by, value, is_bot), count in sums.items()]
    names = ("codes", "days", "bys", "values", "bots", "clicks")
    columns: dict[str, Any] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    bound: dict[str, Any] = {"referrer": ClickDay.By.REFERRER.value, "most": MOST_VALUES, "others": OTHERS}
    with connection.cursor() as cursor:
        cursor.execute(ADD, columns | bound)


def _is_timely(click: Click, *, now: datetime) -> bool:
    """Whether its own time lies where the log reaches. Reckoned in milliseconds: an id may name any year."""
    milliseconds = click.id.int >> 80
    passed = (now - EPOCH) // timedelta(milliseconds=1) - milliseconds
    return -AHEAD / timedelta(milliseconds=1) <= passed <= KEPT / timedelta(milliseconds=1)


def _hours(click: Click) -> int:
    return (click.id.int >> 80) // 3_600_000


def _instant(place: Place) -> datetime:
    return EPOCH + timedelta(milliseconds=place.milliseconds)
