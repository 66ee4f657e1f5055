"""When each schedule is due next: ``next_run_at`` is brought in line with the rows that staff edit.

A new or changed schedule is planned from now on; nothing of its past is made up for. One whose definition stands as it
was keeps its plan, so that a due time at which no beat ran is still due, whatever its rule makes of it; except after
the clock was set back, when the next due time is nearer than the one that was planned.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django_celery_beat.models import PeriodicTask

from jobs.clock import database_now
from jobs.errors import UnfitSchedule
from jobs.models import Schedule
from jobs.schedules.catch_up import replan
from jobs.schedules.occurrences import Once, Timing, fingerprint, next_after, timing_of

LEAST_URGENT = 9
WITH_TIMING = ("interval", "crontab", "clocked", "solar")


def plan() -> None:
    """Plan all schedules. Part of the caller's transaction, which keeps other schedulers out.

    Costs two queries, and one for each schedule that changes.
    """
    now = database_now()
    for task in PeriodicTask.objects.select_related(*WITH_TIMING, "ledger"):
        schedule: Schedule | None = getattr(task, "ledger", None)
        if schedule is None:
            schedule = Schedule.objects.create(periodic_task=task)
        before = (schedule.next_run_at, schedule.definition, schedule.error)
        _plan(task, schedule, now)
        if before != (schedule.next_run_at, schedule.definition, schedule.error):
            schedule.save(update_fields=["next_run_at", "definition", "error"])


def _plan(task: PeriodicTask, schedule: Schedule, now: datetime) -> None:
    if not task.enabled:
        schedule.next_run_at, schedule.definition, schedule.error = None, "", ""
        return
    try:
        timing = timing_of(task)
        args_of(task)
    except UnfitSchedule as why:
        schedule.next_run_at, schedule.definition, schedule.error = None, "", str(why)
        return
    schedule.error = ""
    definition = fingerprint(timing)
    if definition != schedule.definition:
        schedule.definition = definition
        schedule.next_run_at = _first(task, timing, now)
    else:
        schedule.next_run_at = replan(timing, schedule.next_run_at, now)


def _first(task: PeriodicTask, timing: Timing, now: datetime) -> datetime | None:
    """The one instant of a schedule that runs once is due though it passed before anybody planned it."""
    if isinstance(timing, Once):
        return None if task.last_run_at else timing.at
    return next_after(timing, now)


def args_of(task: PeriodicTask) -> dict[str, Any]:
    """The keyword arguments of the row's jobs. Raises UnfitSchedule if it makes none, with what to correct."""
    if task.task not in settings.LEDGER_TASKS:
        raise UnfitSchedule(_("There is no task %(task)s: choose one of the list.") % {"task": task.task})
    if task.priority is not None and task.priority > LEAST_URGENT:
        raise UnfitSchedule(_("Its priority must lie between 0 and %(most)s.") % {"most": LEAST_URGENT})
    try:
        args, kwargs = json.loads(task.args or "[]"), json.loads(task.kwargs or "{}")
    except ValueError:
        raise UnfitSchedule(_("Its arguments are no JSON: correct them.")) from None
    if args or not isinstance(kwargs, dict):
        raise UnfitSchedule(_("Its arguments must be one JSON object of names and values."))
    return kwargs
