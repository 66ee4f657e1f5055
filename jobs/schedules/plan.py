"""When each schedule is due next: ``next_run_at`` is brought in line with the rows that staff edit.

A new or changed schedule is planned from now on; nothing of its past is made up for. One whose definition stands as it
was keeps its plan, so that a due time at which no beat ran is still due, whatever its rule makes of it; except after
the clock was set back, when the next due time is nearer than the one that was planned.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.utils.translation import gettext as _
from django_celery_beat.models import PeriodicTask

from jobs.clock import database_now
from jobs.errors import UnfitSchedule
from jobs.models import Schedule
from jobs.schedules.catch_up import replan
from jobs.schedules.occurrences import Once, Timing, fingerprint, next_after, timing_of
from jobs.schedules.rows import read_rows
from jobs.session import count

log = structlog.get_logger(__name__)

LEAST_URGENT = 9

# Passes by a row that somebody holds. By primary key.
STORE = """
    UPDATE jobs_schedule SET next_run_at = %(next)s, definition = %(definition)s, error = %(error)s
     WHERE periodic_task_id = ANY(ARRAY(
         SELECT periodic_task_id FROM jobs_schedule WHERE periodic_task_id = %(id)s FOR NO KEY UPDATE SKIP LOCKED
     ))
"""


def plan() -> bool:
    """Plan all schedules. Part of the caller's transaction, which keeps other schedulers out.

    Returns False if the plan of one was left as it is because somebody holds its row: waiting for him would hold up
    all others. Costs two queries, and one for each schedule that changes.
    """
    now, rows = database_now(), read_rows()
    all_stored = True
    for task in rows.tasks:
        schedule: Schedule | None = getattr(task, "ledger", None)
        if schedule is None:
            schedule = Schedule.objects.create(periodic_task=task)
        before = (schedule.next_run_at, schedule.definition, schedule.error)
        _plan(task, schedule, now)
        if before != (schedule.next_run_at, schedule.definition, schedule.error):
            all_stored &= _store(schedule)
    for row in rows.unreadable:
        schedule, _created = Schedule.objects.get_or_create(periodic_task_id=row.pk)
        why = _("It cannot be read: %(why)s") % {"why": row.why}
        if schedule.error != why:
            _give_up(schedule, why)
            all_stored &= _store(schedule)
    return all_stored


def _store(schedule: Schedule) -> bool:
    values = {"next": schedule.next_run_at, "definition": schedule.definition, "error": schedule.error}
    return count("default", STORE, {"id": schedule.pk, **values}) == 1


def _give_up(schedule: Schedule, why: str) -> None:
    schedule.next_run_at, schedule.definition, schedule.error = None, "", why


def _plan(task: PeriodicTask, schedule: Schedule, now: datetime) -> None:
    if not task.enabled:
        _give_up(schedule, "")
        return
    try:
        args_of(task)
        _plan_next(task, schedule, timing_of(task), now)
    except UnfitSchedule as why:
        _give_up(schedule, str(why))
    except Exception as fault:  # whatever it is, it must not hold up the others (I6)
        log.warning("schedule_not_planned", schedule=task.name, error=type(fault).__name__, detail=str(fault)[:200])
        _give_up(schedule, _("It cannot be planned: %(why)s") % {"why": f"{type(fault).__name__}: {fault}"})


def _plan_next(task: PeriodicTask, schedule: Schedule, timing: Timing, now: datetime) -> None:
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
    except (ValueError, RecursionError):
        raise UnfitSchedule(_("Its arguments are no JSON: correct them.")) from None
    if args or not isinstance(kwargs, dict):
        raise UnfitSchedule(_("Its arguments must be one JSON object of names and values."))
    return kwargs
