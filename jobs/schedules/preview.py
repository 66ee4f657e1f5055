"""The due times to come, as staff check them: by the clock of the schedule's zone, and in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django_celery_beat.models import PeriodicTask

from jobs.errors import JobsError
from jobs.schedules.occurrences import Cron, next_after, timing_of
from jobs.schedules.plan import args_of

SHOWN = 5


@dataclass(frozen=True)
class DueTime:
    """One instant. local: by the schedule's clock; at: the same in UTC. note: what is unusual about that day."""

    at: datetime
    local: datetime
    note: str


def zone_of(task: PeriodicTask) -> ZoneInfo:
    """The zone by whose clock it runs: a crontab's own, else UTC."""
    return ZoneInfo(str(task.crontab.timezone) if task.crontab is not None else "UTC")


def why_unfit(task: PeriodicTask) -> str:
    """Why no job can be made of it, in the reader's language; empty if one can. No query.

    What a beat has written down (``Schedule.error``) is the same in the beat's language.
    """
    try:
        timing_of(task)
        args_of(task)
    except JobsError as why:
        return str(why)
    return ""


def due_times(task: PeriodicTask, *, now: datetime) -> list[DueTime]:
    """The next five; fewer if it ends before, none if it cannot be planned. No query. now: the database's."""
    try:
        timing = timing_of(task)
    except JobsError:
        return []
    zone = timing.zone if isinstance(timing, Cron) else ZoneInfo("UTC")
    found: list[DueTime] = []
    instant: datetime | None = now
    while len(found) < SHOWN and instant is not None:
        instant = next_after(timing, instant)
        if instant is not None:
            local = instant.astimezone(zone)
            found.append(DueTime(at=instant.astimezone(UTC), local=local, note=_note(local)))
    return found


def _note(local: datetime) -> str:
    """A sentence for a day on which the clock is changed."""
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    try:
        before, after = midnight.utcoffset(), (midnight + timedelta(days=1)).utcoffset()
    except OverflowError:  # The last day of the year 9999.
        return ""
    if before is None or after is None or before == after:
        return ""
    return _("The clock is put forward that day.") if after > before else _("The clock is put back that day.")
