"""When a crontab is due: the arithmetic of wall clocks, in any zone and on the days on which the clock is changed.

A crontab that has all 24 hours follows elapsed time: it is due whenever the wall clock shows a time that matches, twice
when the clock shows it twice, and not at all in a gap. "Every quarter of an hour" stays just that.

Every other crontab follows the calendar: each time it names is due once. The clock shows it twice: the first time. The
clock never shows it: as much later as the clock was put forward (02:30 in Berlin in March is 03:30, 01:30 UTC), which
is what ``zoneinfo`` makes of it. Two named times that come to one instant are one run.

Most days have one offset, and there the times are minutes after midnight, searched by bisection. On the others every
time of the day is taken apart. Two facts about the time zone database make a search of three days exact, and a test
holds them against each zone: no offset changes by more than a day, and none changes twice within a day.
"""

from __future__ import annotations

import calendar
from bisect import bisect_right
from collections.abc import Iterator
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from jobs.schedules.timing import Cron

SEARCH_YEARS = 80
"""29 February falls on a given day of the week at least every 40 years, any other date every 12; twice as long, since
a zone may have left out that very day. What has not come by then does not come."""

A_DAY = timedelta(days=1)
A_MINUTE = timedelta(minutes=1)


def first_after(cron: Cron, instant: datetime) -> datetime | None:
    """The first due instant after ``instant`` (UTC), whatever the crontab's bounds."""
    found: datetime | None = None
    last_day: date | None = None
    # A clock that was put back, or forward, by a day shows times of the day before, or owes some of them.
    for day in _days(cron, _day_of(instant, cron.zone) - A_DAY):
        if last_day is not None and day > last_day:
            break
        _, after = _around(cron, day, instant)
        if after is not None:
            found = after if found is None else min(found, after)
            last_day = last_day or day + A_DAY
    return found


def latest_until(cron: Cron, instant: datetime) -> datetime | None:
    """The latest due instant that is not after ``instant`` (UTC), whatever the crontab's bounds."""
    found: datetime | None = None
    last_day: date | None = None
    for day in _days(cron, _day_of(instant, cron.zone) + A_DAY, backwards=True):
        if last_day is not None and day < last_day:
            break
        until, _ = _around(cron, day, instant)
        if until is not None:
            found = until if found is None else max(found, until)
            last_day = last_day or day - A_DAY
    return found


def count(cron: Cron, *, after: datetime, until: datetime) -> int:
    """How many instants are due after ``after`` and not after ``until`` (UTC): some 80 µs for each day."""
    total = 0
    near_a_change: set[datetime] = set()
    end = _day_of(until, cron.zone) + A_DAY
    for day in _days(cron, _day_of(after, cron.zone) - A_DAY):
        if day > end:
            break
        if all(_steady_offset(cron.zone, day + days * A_DAY) is not None for days in (-1, 0, 1)):
            total += _place(cron, day, until) - _place(cron, day, after)
        else:
            # A time that the clock left out may come to the same instant as one of this day or of the next.
            near_a_change.update(due for due in _instants(cron, day) if after < due <= until)
    return total + len(near_a_change)


def _around(cron: Cron, day: date, instant: datetime) -> tuple[datetime | None, datetime | None]:
    """Of what is due by this day's times: the latest until the instant, and the first after it."""
    place = _place(cron, day, instant)
    offset = _steady_offset(cron.zone, day)
    if offset is None:
        due = _instants(cron, day)
        return due[place - 1] if place else None, due[place] if place < len(due) else None
    times = _times(cron.minutes, cron.hours)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) - offset
    until = midnight + times[place - 1] * A_MINUTE if place else None
    return until, midnight + times[place] * A_MINUTE if place < len(times) else None


def _place(cron: Cron, day: date, instant: datetime) -> int:
    """How many of this day's due instants are not after the instant."""
    offset = _steady_offset(cron.zone, day)
    if offset is None:
        return bisect_right(_instants(cron, day), instant)
    since_midnight = instant - datetime(day.year, day.month, day.day, tzinfo=UTC) + offset
    return bisect_right(_times(cron.minutes, cron.hours), since_midnight // A_MINUTE)


@lru_cache(maxsize=128)
def _times(minutes: frozenset[int], hours: frozenset[int]) -> tuple[int, ...]:
    """The times of a day, in minutes after midnight."""
    return tuple(sorted(hour * 60 + minute for hour in hours for minute in minutes))


@lru_cache(maxsize=8192)
def _steady_offset(zone: ZoneInfo, day: date) -> timedelta | None:
    """The zone's offset if it is one for the whole of the day; None on a day that a change touches.

    A time that is left out or comes twice has two offsets, by its fold. One change alone cannot hide from both ends.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    ends = (midnight, midnight + A_DAY)
    offsets = {end.replace(fold=fold).utcoffset() for end in ends for fold in (0, 1)}
    return offsets.pop() if len(offsets) == 1 else None


@lru_cache(maxsize=64)
def _instants(cron: Cron, day: date) -> tuple[datetime, ...]:
    """What is due by this day's times, each looked up by itself."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=cron.zone)
    due: set[datetime] = set()
    for minute in _times(cron.minutes, cron.hours):
        shown = midnight + minute * A_MINUTE
        first = shown.replace(fold=0).astimezone(UTC)
        if len(cron.hours) < 24:
            due.add(first)
            continue
        second = shown.replace(fold=1).astimezone(UTC)
        if first <= second:  # In a gap the second comes first, and the clock shows neither.
            due.update((first, second))
    return tuple(sorted(due))


def _days(cron: Cron, start: date, *, backwards: bool = False) -> Iterator[date]:
    """The days that match, from ``start`` on, for ``SEARCH_YEARS`` at most."""
    month = start.year * 12 + start.month - 1
    for _ in range(SEARCH_YEARS * 12):
        year, months_before = divmod(month, 12)
        if not MINYEAR <= year <= MAXYEAR:
            return
        if months_before + 1 in cron.months:
            days = _days_of_month(year, months_before + 1, cron.days_of_month, cron.days_of_week)
            if backwards:
                yield from (day for day in reversed(days) if day <= start)
            else:
                yield from (day for day in days if day >= start)
        month += -1 if backwards else 1


@lru_cache(maxsize=4096)
def _days_of_month(year: int, month: int, days: frozenset[int], days_of_week: frozenset[int]) -> tuple[date, ...]:
    length = calendar.monthrange(year, month)[1]
    found = (date(year, month, day) for day in sorted(days) if day <= length)
    return tuple(day for day in found if day.isoweekday() % 7 in days_of_week)


def _day_of(instant: datetime, zone: ZoneInfo) -> date:
    return instant.astimezone(zone).date()
