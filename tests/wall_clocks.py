"""Wall clocks watched from outside: what they show as the instants of UTC pass, and crontabs written as text.

The due instants that follow from it are found without any of the arithmetic under test, and without ``fold``.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django_celery_beat.models import CrontabSchedule, PeriodicTask

from jobs.schedules.occurrences import Cron, Timing, cron_fields, next_after, timing_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
A_MINUTE = timedelta(minutes=1)


def cron(expression: str, zone: str = "UTC", **bounds: datetime) -> Cron:
    """The timing of a row with this crontab."""
    row = CrontabSchedule(**cron_fields(expression), timezone=ZoneInfo(zone))
    timing = timing_of(PeriodicTask(name="a schedule", crontab=row, **bounds))
    assert isinstance(timing, Cron)
    return timing


def due(timing: Timing, after: datetime, until: datetime) -> list[datetime]:
    """All due instants after ``after`` and not after ``until``, one from the other."""
    found = []
    instant = next_after(timing, after)
    while instant is not None and instant <= until:
        found.append(instant)
        instant = next_after(timing, instant)
    return found


class Change(NamedTuple):
    """From ``at`` on the zone's offset is another one."""

    at: datetime
    before: timedelta
    after: timedelta


def changes(zone: ZoneInfo, start: datetime, end: datetime) -> tuple[Change, ...]:
    """The changes of a zone's offset, found by looking each day and halving, to the second."""
    found = []
    earlier, offset = start, _offset(zone, start)
    while earlier < end:
        later = min(earlier + timedelta(days=1), end)
        if (changed := _offset(zone, later)) != offset:
            low, high = earlier, later
            while high - low > timedelta(seconds=1):
                middle = low + (high - low) // timedelta(seconds=2) * timedelta(seconds=1)
                low, high = (middle, high) if _offset(zone, middle) == offset else (low, middle)
            found.append(Change(high, offset, changed))
            offset = changed
        earlier = later
    return tuple(found)


@dataclass
class Watched:
    """The times that a wall clock showed for the first time, those that it showed again, and those it left out.

    Pairs of the time shown and the instant, both in minutes since the epoch, by the clock and by UTC.
    """

    first: list[tuple[int, int]] = field(default_factory=list)
    again: list[tuple[int, int]] = field(default_factory=list)
    left_out: list[tuple[int, int]] = field(default_factory=list)


def watch(
    offset: timedelta, table: Sequence[Change], start: datetime, end: datetime, times: Set[int], step: int = 1
) -> Watched:
    """Walk through UTC in steps of so many minutes and read the clock, whose offset is ``offset`` at ``start``.

    times: what to take down, in minutes after midnight.
    A time that it leaves out is due as much later as the clock was put forward: where it would have been shown.
    """
    seen = Watched()
    ahead, first, last = offset // A_MINUTE, (start - EPOCH) // A_MINUTE, (end - EPOCH) // A_MINUTE
    changed = {(change.at - EPOCH) // A_MINUTE: change.after // A_MINUTE for change in table}
    expected = first + ahead
    for instant in range(first, last + 1, step):
        ahead = changed.get(instant, ahead)
        wall = instant + ahead
        if wall < expected:
            if wall % 1440 in times:
                seen.again.append((wall, instant))
            continue
        if wall > expected:
            left_out = ((expected + late, instant + late) for late in range(0, wall - expected, step))
            seen.left_out += [(time, due) for time, due in left_out if time % 1440 in times]
        if wall % 1440 in times:
            seen.first.append((wall, instant))
        expected = wall + step
    return seen


def due_by_watching(timing: Cron, seen: Watched) -> list[datetime]:
    """What is due by the two rules, from what the clock showed."""
    times = times_of(timing)
    views = seen.first + (seen.again if len(timing.hours) == 24 else seen.left_out)
    instants = {instant for wall, instant in views if wall % 1440 in times and _on_a_day(timing, wall // 1440)}
    return [EPOCH + instant * A_MINUTE for instant in sorted(instants)]


def times_of(*timings: Cron) -> frozenset[int]:
    """The times of the day that any of them names, in minutes after midnight."""
    return frozenset(60 * hour + minute for each in timings for hour in each.hours for minute in each.minutes)


def _on_a_day(timing: Cron, days: int) -> bool:
    day = EPOCH + timedelta(days=days)
    return (
        day.day in timing.days_of_month and day.month in timing.months and day.isoweekday() % 7 in timing.days_of_week
    )


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    offset = instant.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def utc(year: int, month: int = 1, day: int = 1, *time: int) -> datetime:
    """An instant in UTC; the year alone is its beginning."""
    return datetime(year, month, day, *time, tzinfo=UTC)
