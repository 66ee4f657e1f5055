"""When a periodic task is due, in the reader's words: "every 30 seconds", "daily at 02:30, Berlin time"."""

from __future__ import annotations

from datetime import UTC, timedelta

from django.utils import dateformat
from django.utils.dates import MONTHS, WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.errors import JobsError
from jobs.schedules.timing import FULL_FIELDS, Cron, timing_of

MOST_LISTED = 6
"""Times, days or minutes that are told one by one."""
SHORTEST_RANGE = 3
"""Days in a row that are told by the first and the last of them."""


def purpose_in_words(task: PeriodicTask) -> str:
    """What it is for, as it was written, or translated where it stands as it came from the table."""
    return _(task.description) if task.description else ""


def timing_in_words(task: PeriodicTask) -> str:
    """When it is due. No query, if its timing was read with it."""
    words = _timing(task)
    return _("%(timing)s, only once") % {"timing": words} if task.one_off and not task.clocked else words


def _timing(task: PeriodicTask) -> str:
    if task.interval is not None:
        return interval_in_words(task.interval)
    if task.crontab is not None:
        return crontab_in_words(task.crontab)
    if task.clocked is not None:
        pattern = pgettext("date and time, in Django's date format", "D j M Y, H:i")
        moment = dateformat.format(task.clocked.clocked_time.astimezone(UTC), pattern)
        return _("once, on %(moment)s UTC") % {"moment": moment}
    return _("never: by the sun, which no ledger knows") if task.solar_id else _("never: no time is given")


def interval_in_words(interval: IntervalSchedule) -> str:
    """``every 30 seconds``, in the largest unit that says it without a fraction."""
    if interval.period == IntervalSchedule.MICROSECONDS:
        return _("every %(n)s microseconds") % {"n": interval.every}
    try:
        seconds = int(timedelta(**{interval.period: interval.every}).total_seconds())
    except (OverflowError, TypeError):  # Written by somebody past the admin, whose pages must show it all the same.
        return _("No interval is %(n)s %(unit)s long.") % {"n": interval.every, "unit": interval.period}
    for length, words in (
        (86400, lambda n: ngettext("every day", "every %(n)s days", n)),
        (3600, lambda n: ngettext("every hour", "every %(n)s hours", n)),
        (60, lambda n: ngettext("every minute", "every %(n)s minutes", n)),
    ):
        if seconds % length == 0:
            return words(seconds // length) % {"n": seconds // length}
    return ngettext("every second", "every %(n)s seconds", seconds) % {"n": seconds}


def crontab_in_words(row: CrontabSchedule) -> str:
    """``daily at 02:30, Berlin time``; where there are no words for it, the crontab as it is written."""
    try:
        cron = timing_of(PeriodicTask(crontab=row))
    except JobsError:
        cron = None
    words = _of_the_clock(cron) if isinstance(cron, Cron) else ""
    zone = str(row.timezone)
    words = words or _("by the crontab %(fields)s") % {
        "fields": " ".join(str(getattr(row, name)) for name in FULL_FIELDS)
    }
    if zone == "UTC":
        return f"{words}, UTC"
    return _("%(moment)s, %(place)s time") % {"moment": words, "place": zone.rpartition("/")[2].replace("_", " ")}


def _of_the_clock(cron: Cron) -> str:
    """Empty for what takes more than a short sentence."""
    any_date = _is_full(cron.days_of_month, "day_of_month") and _is_full(cron.months, "month_of_year")
    any_day = any_date and _is_full(cron.days_of_week, "day_of_week")
    if any_day and _is_full(cron.hours, "hour"):
        return _within_the_hour(sorted(cron.minutes))
    times = [f"{hour:02}:{minute:02}" for hour in sorted(cron.hours) for minute in sorted(cron.minutes)]
    if len(times) > MOST_LISTED:
        return ""
    values = {"times": ", ".join(times)}
    if any_day:
        return _("daily at %(times)s") % values
    if any_date:
        return _("%(days)s at %(times)s") % {**values, "days": _weekdays(cron.days_of_week)}
    if len(cron.days_of_month) > MOST_LISTED or not _is_full(cron.days_of_week, "day_of_week"):
        return ""
    values["days"] = ", ".join(map(str, sorted(cron.days_of_month)))
    if _is_full(cron.months, "month_of_year"):
        return _("on day %(days)s of each month at %(times)s") % values
    if len(cron.months) > 1:
        return ""
    (month,) = cron.months
    return _("each year in %(month)s, on day %(days)s at %(times)s") % {**values, "month": MONTHS[month]}


def _within_the_hour(minutes: list[int]) -> str:
    step = 60 // len(minutes)
    if minutes == list(range(0, 60, step)) and len(minutes) > 1:
        return ngettext("every minute", "every %(n)s minutes", step) % {"n": step}
    if len(minutes) > MOST_LISTED:
        return ""
    return _("every hour at minute %(minutes)s") % {"minutes": ", ".join(map(str, minutes))}


def _weekdays(days: frozenset[int]) -> str:
    """Sunday is 0 in a crontab, and last in a week."""
    from_monday = sorted((day - 1) % 7 for day in days)
    names = [str(WEEKDAYS[day]) for day in from_monday]
    if len(names) >= SHORTEST_RANGE and from_monday[-1] - from_monday[0] == len(names) - 1:
        return _("%(first)s to %(last)s") % {"first": names[0], "last": names[-1]}
    return ", ".join(names)


def _is_full(field: frozenset[int], name: str) -> bool:
    return field == FULL_FIELDS[name]
