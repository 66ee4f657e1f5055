"""A time zone as calendars read it (VTIMEZONE, RFC 5545, section 3.6.5): when the clocks change, and by how much.

``icalendar`` makes one of a ``tzinfo`` as well, but gives the clocks' new time where the standard wants the old one,
which moves each change to summer time by an hour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from icalendar import Timezone, TimezoneDaylight, TimezoneStandard

ZONES_KEPT = 64  # one of a house and year has some 1,000 characters
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class _Rule:
    """What the clocks change from and to."""

    before: timedelta
    after: timedelta
    name: str
    is_summer: bool


@lru_cache(maxsize=ZONES_KEPT)
def calendar_zone(zone: ZoneInfo, year: int) -> Timezone:
    """The zone from the year before to the year after: an entry of this year needs no more. Pure."""
    start, end = datetime(year - 1, 1, 1, tzinfo=UTC), datetime(year + 2, 1, 1, tzinfo=UTC)
    component = Timezone()
    component.add("TZID", zone.key)
    first = start.astimezone(zone)
    component.add_component(_part(_rule(first, first), [first.replace(tzinfo=None)]))
    changes: dict[_Rule, list[datetime]] = defaultdict(list)
    for at in _changes(zone, start, end):
        before, after = (at - SECOND).astimezone(zone), at.astimezone(zone)
        rule = _rule(before, after)
        changes[rule].append((at + rule.before).replace(tzinfo=None))
    for rule, onsets in changes.items():
        component.add_component(_part(rule, onsets))
    return component


def _changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    """The instants from which another offset counts, to the second."""
    day = timedelta(days=1)
    while start < end:
        low, high = start, start + day
        if _offset(zone, low) != _offset(zone, high):
            while high - low > SECOND:
                middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
                low, high = (middle, high) if _offset(zone, middle) == _offset(zone, low) else (low, middle)
            yield high
        start += day


def _offset(zone: ZoneInfo, at: datetime) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()


def _rule(before: datetime, after: datetime) -> _Rule:
    return _Rule(
        before=before.utcoffset() or timedelta(),
        after=after.utcoffset() or timedelta(),
        name=after.tzname() or "",
        is_summer=bool(after.dst()),
    )


def _part(rule: _Rule, onsets: list[datetime]) -> TimezoneDaylight | TimezoneStandard:
    part = TimezoneDaylight() if rule.is_summer else TimezoneStandard()
    part.add("DTSTART", onsets[0])  # in the time that the clocks showed until then
    if onsets[1:]:
        part.add("RDATE", onsets[1:])
    part.TZOFFSETFROM, part.TZOFFSETTO = rule.before, rule.after
    part.add("TZNAME", rule.name)
    return part
