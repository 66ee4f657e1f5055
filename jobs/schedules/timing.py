"""What a schedule says about when it is due, read from the rows that staff edit.

A crontab's fields mean what Celery's own parser makes of them: ``*/15``, ``8-17``, ``mon-fri``, ``22-2`` (round
midnight). The day of the month, the month and the day of the week must all match: ``0 9 1-7 * mon`` is the first
Monday of each month, whereas classic cron would take each Monday and each of the first seven days.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from celery.schedules import ParseException, crontab_parser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from jobs.errors import UnfitSchedule

if TYPE_CHECKING:
    from django_celery_beat.models import CrontabSchedule, PeriodicTask

SHORTEST_INTERVAL = timedelta(seconds=1)
"""The scheduler looks about once a second and each run is a row: more often is work for a process of its own."""

LONGEST_MONTHS = {month: 30 if month in (4, 6, 9, 11) else 31 for month in range(1, 13)} | {2: 29}
"""The most days that a month has."""

FULL_FIELDS = {
    "minute": frozenset(range(60)),
    "hour": frozenset(range(24)),
    "day_of_month": frozenset(range(1, 32)),
    "month_of_year": frozenset(range(1, 13)),
    "day_of_week": frozenset(range(7)),
}
"""The fields of a crontab in the order in which they are written, and what ``*`` stands for. Sunday is 0."""

PART = re.compile(r"(\*|\w+(-\w+)?)(/\d+)?", re.ASCII)
"""One of the parts of a field that commas separate."""

FIELD_NAMES = {
    "minute": gettext_noop("minute"),
    "hour": gettext_noop("hour"),
    "day_of_month": gettext_noop("day of month"),
    "month_of_year": gettext_noop("month of year"),
    "day_of_week": gettext_noop("day of week"),
}
"""How sentences for staff call them."""


@dataclass(frozen=True)
class Every:
    """Due at each point of a grid that lies at ``anchor``, or at the Unix epoch when there is none.

    The grid is fixed, so that every process sees the same one and no restart moves it. ``anchor`` is also the first
    due instant. Nothing is due from ``end`` on.
    """

    interval: timedelta
    anchor: datetime | None = None
    end: datetime | None = None

    @property
    def start(self) -> datetime | None:
        """Nothing is due before it."""
        return self.anchor


@dataclass(frozen=True)
class Cron:
    """Due when the wall clock of ``zone`` shows a time that all five fields have (days of the week: Sunday is 0).

    Nothing is due before ``start``, nor from ``end`` on. See ``jobs.schedules.wall_clock`` for the days on which the
    clock is changed.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days_of_month: frozenset[int]
    months: frozenset[int]
    days_of_week: frozenset[int]
    zone: ZoneInfo
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True)
class Once:
    """Due at one instant."""

    at: datetime


Timing = Every | Cron | Once


def timing_of(periodic_task: PeriodicTask) -> Timing:
    """When this row of django-celery-beat is due. No query, if its interval, crontab and clocked rows are loaded.

    ``start_time`` is the lower bound and an interval's anchor, ``expires`` the upper bound. Raises UnfitSchedule with
    a sentence for staff.
    """
    if periodic_task.solar is not None:
        raise UnfitSchedule(_("Schedules by the sun are not supported: choose an interval, a crontab or one time."))
    chosen = [row for row in (periodic_task.interval, periodic_task.crontab, periodic_task.clocked) if row is not None]
    if len(chosen) != 1:
        raise UnfitSchedule(_("Choose exactly one of an interval, a crontab or one time."))
    start, end = periodic_task.start_time, periodic_task.expires
    if periodic_task.interval is not None:
        return Every(_interval(periodic_task.interval.every, periodic_task.interval.period), anchor=start, end=end)
    if periodic_task.crontab is not None:
        return _cron(periodic_task.crontab, start=start, end=end)
    at = periodic_task.clocked.clocked_time
    if (start is not None and at < start) or (end is not None and at >= end):
        raise UnfitSchedule(_("Its one time does not lie between its start time and its end: it would never run."))
    return Once(at)


def cron_fields(expression: str) -> dict[str, str]:
    """The five fields of ``"30 3 * * *"``, by their names in django-celery-beat's CrontabSchedule.

    Raises UnfitSchedule for anything that could not be planned.
    """
    texts = expression.split()
    if len(texts) != len(FULL_FIELDS):
        words = _("A crontab has five fields: minute, hour, day, month, day of the week, not %(text)s.")
        raise UnfitSchedule(words % {"text": repr(expression)})
    fields = dict(zip(FULL_FIELDS, texts, strict=True))
    _expand(fields)
    return fields


def fingerprint(timing: Timing) -> str:
    """The definition as a stable text: two timings have the same one if, and only if, they define the same.

    However it was written (``*/30`` or ``0,30``, 60 seconds or a minute), what is due decides.
    """
    if isinstance(timing, Once):
        return f"once {_text(timing.at)}"
    if isinstance(timing, Every):
        words = [f"every {timing.interval / timedelta(seconds=1)!r} s"]
    else:
        fields = (timing.minutes, timing.hours, timing.days_of_month, timing.months, timing.days_of_week)
        texts = [
            "*" if field == full else ",".join(map(str, sorted(field)))
            for field, full in zip(fields, FULL_FIELDS.values(), strict=True)
        ]
        words = ["cron", *texts, timing.zone.key]
    bounds = (("from", timing.start), ("until", timing.end))
    return " ".join([*words, *(f"{word} {_text(bound)}" for word, bound in bounds if bound is not None)])


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


def _interval(every: int, period: str) -> timedelta:
    try:
        interval = timedelta(**{period: every})
    except (OverflowError, TypeError) as error:
        raise UnfitSchedule(_("No interval is %(n)s %(unit)s long.") % {"n": every, "unit": period}) from error
    if interval < SHORTEST_INTERVAL:
        raise UnfitSchedule(_("An interval is a second at least."))
    return interval


def _cron(row: CrontabSchedule, *, start: datetime | None, end: datetime | None) -> Cron:
    minutes, hours, days, months, weekdays = _expand({name: str(getattr(row, name)) for name in FULL_FIELDS})
    return Cron(minutes, hours, days, months, weekdays, zone=row.timezone, start=start, end=end)


def _expand(fields: dict[str, str]) -> list[frozenset[int]]:
    expanded = []
    for name, full in FULL_FIELDS.items():
        parse = _days_of_week if name == "day_of_week" else crontab_parser(len(full), min(full)).parse
        expanded.append(_parsed(parse, name=name, text=fields[name]))
    days, months = expanded[2:4]
    if min(days) > max(LONGEST_MONTHS[month] for month in months):
        words = _("None of its months has a day %(day)s: it would never run.")
        raise UnfitSchedule(words % {"day": min(days)})
    return expanded


def _parsed(parse: Callable[[str], set[int]], *, name: str, text: str) -> frozenset[int]:
    try:
        for part in text.split(","):
            if part and not PART.fullmatch(part):  # the parser reads the beginning alone: "mon#1" would be each Monday
                raise ValueError(f"{part!r} is no value, range or step")
        return frozenset(parse(text))
    except (ParseException, ValueError) as error:
        words = _("The crontab's %(field)s %(text)s cannot be read: %(why)s.")
        values = {"field": _(FIELD_NAMES[name]), "text": repr(text), "why": str(error).rstrip(".")}
        raise UnfitSchedule(words % values) from error


def _days_of_week(text: str) -> set[int]:
    # The admin's form promises that Sunday is 0 or 7, and its validator agrees; the parser of a week knows no 7.
    expanded: set[int] = set()
    for part in text.split(","):
        try:
            expanded |= crontab_parser(7).parse(part)
        except ValueError:
            expanded |= {day % 7 for day in crontab_parser(8).parse(part)}
    return expanded
