"""When a schedule is due: pure functions of its timing and an instant. No database, and no clock.

Instants are aware datetimes; what comes back is in UTC. An interval's instants are points of a fixed grid, a crontab's
follow the wall clock of its zone (``jobs.schedules.wall_clock``). Only the parser of crontab fields is Celery's:
neither its arithmetic nor that of django-celery-beat decides anything.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from jobs.schedules import wall_clock
from jobs.schedules.timing import (
    Cron,
    Every,
    Once,
    Timing,
    cron_fields,
    fingerprint,
    timing_of,
)

__all__ = [
    "Cron",
    "Every",
    "Once",
    "Timing",
    "count_between",
    "cron_fields",
    "fingerprint",
    "last_until",
    "next_after",
    "timing_of",
]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
AN_INSTANT = timedelta(microseconds=1)
"""The finest that an instant is told apart, here and in PostgreSQL."""


def next_after(timing: Timing, instant: datetime) -> datetime | None:
    """The first due instant after ``instant``, itself excluded. None if none comes.

    Some 20 µs, and 5 ms once for a day on which the clock is changed. What comes every few years, or never, is
    searched for ``wall_clock.SEARCH_YEARS`` at most.
    """
    instant = _utc(instant)
    if isinstance(timing, Once):
        return _utc(timing.at) if timing.at > instant else None
    if timing.start is not None and instant < timing.start:
        instant = _utc(timing.start) - AN_INSTANT
    try:
        due = _grid(timing, instant, 1) if isinstance(timing, Every) else wall_clock.first_after(timing, instant)
    except OverflowError:  # Past the year 9999.
        return None
    return None if due is None or (timing.end is not None and due >= timing.end) else due


def last_until(timing: Timing, instant: datetime) -> datetime | None:
    """The latest due instant that is not after ``instant``. None if none has come."""
    instant = _utc(instant)
    if isinstance(timing, Once):
        return _utc(timing.at) if timing.at <= instant else None
    try:
        if timing.end is not None:
            instant = min(instant, _utc(timing.end) - AN_INSTANT)
        due = _grid(timing, instant, 0) if isinstance(timing, Every) else wall_clock.latest_until(timing, instant)
    except OverflowError:  # Before the year 1.
        return None
    return None if due is None or (timing.start is not None and due < timing.start) else due


def count_between(timing: Timing, after: datetime, until: datetime) -> int:
    """How many due instants come after ``after``, itself excluded, and not after ``until``.

    An interval's are computed; a crontab's are counted by the day, some 30 ms for each year.
    """
    after, until = _utc(after), _utc(until)
    if isinstance(timing, Once):
        return int(after < timing.at <= until)
    if timing.start is not None and after < timing.start:
        after = _utc(timing.start) - AN_INSTANT
    if timing.end is not None and timing.end <= until:
        if timing.end <= after:
            return 0
        until = _utc(timing.end) - AN_INSTANT
    if until <= after:
        return 0
    if isinstance(timing, Every):
        origin = timing.anchor or EPOCH
        return (until - origin) // timing.interval - (after - origin) // timing.interval
    return wall_clock.count(timing, after=after, until=until)


def _grid(timing: Every, instant: datetime, further: int) -> datetime:
    """The grid's latest point that is not after the instant, or so many points ``further``."""
    origin = _utc(timing.anchor or EPOCH)
    return origin + ((instant - origin) // timing.interval + further) * timing.interval


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError("An instant without a time zone could be any of a day's: make it aware.")
    return instant.astimezone(UTC)
