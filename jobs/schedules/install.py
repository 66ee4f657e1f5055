"""From ``config/schedule.py`` into the rows that staff edit: what is missing is created, what staff changed is left.

Field by field: what still stands as it was written from the table last takes the table's new value; anything else is
staff's. A schedule that the table lists no longer is disabled in the same way, and enabled when it is listed again.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import structlog
from django.core.exceptions import ValidationError
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.models import Schedule
from jobs.periodic import Periodic, all_periodic
from jobs.schedules.rows import read_rows

log = structlog.get_logger(__name__)

Fields = dict[str, Any]
"""What the table, or a row, says of a schedule, as JSON. ``timing`` is one field: half of it makes no sense."""

CRON = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")


def install_schedule() -> bool:
    """Bring the rows in line with the table. Part of the caller's transaction, which keeps other schedulers out.

    Returns False if a row was left as it is because somebody holds it: waiting for him would hold up all schedules.
    """
    listed = {periodic.name: fields_of(periodic) for periodic in all_periodic()}
    read = read_rows()
    rows = {task.name: task for task in read.tasks}
    for name in listed.keys() - rows.keys() - {row.name for row in read.unreadable}:
        _create(name, listed[name])
    is_complete = True
    for name, task in rows.items():
        schedule: Schedule | None = getattr(task, "ledger", None)
        if schedule is not None and schedule.installed is not None:  # not one that staff made
            is_complete &= _merge(task, schedule, listed.get(name, {**schedule.installed, "enabled": False}))
    return is_complete


def fields_of(periodic: Periodic) -> Fields:
    """What the table says."""
    every = periodic.every
    return {
        "task": periodic.task,
        "timing": [every // timedelta(seconds=1)] if every else [*periodic.cron.split(), periodic.zone],
        "catch_up": periodic.catch_up,
        "args": dict(periodic.args),
        "priority": periodic.priority,
        "why": periodic.why,
        "enabled": True,
    }


def fields_now(task: PeriodicTask) -> Fields:
    """What the row says; None for what the table could not have written."""
    return {
        "task": task.task,
        "timing": _timing_now(task),
        "catch_up": task.ledger.catch_up,
        "args": _args_now(task),
        "priority": task.priority,
        "why": task.description,
        "enabled": task.enabled,
    }


def _create(name: str, fields: Fields) -> None:
    task = PeriodicTask(name=name)
    for field, value in fields.items():
        _write(task, None, field, value)
    task.save()
    Schedule.objects.create(periodic_task=task, catch_up=fields["catch_up"], installed=fields)
    log.info("schedule_created", schedule=name)


def _merge(task: PeriodicTask, schedule: Schedule, wanted: Fields) -> bool:
    if wanted == schedule.installed:
        return True
    if not _is_free(task):
        return False
    written, now = schedule.installed or {}, fields_now(task)
    changed = [field for field in wanted if wanted[field] != written.get(field) == now[field]]
    for field in changed:
        _write(task, schedule, field, wanted[field])
    if changed:
        try:
            task.save()
        except ValidationError as error:  # the library's own, of a row that somebody has changed behind its back
            log.warning("schedule_not_taken_over", schedule=task.name, why=error.messages)
            return True
    schedule.installed = wanted
    schedule.save(update_fields=["catch_up", "installed"])
    log.info("schedule_taken_over", schedule=task.name, fields=changed)
    return True


def _is_free(task: PeriodicTask) -> bool:
    """Keep the row and its plan from others; return False, and wait for nobody, if somebody has one of them."""
    rows = PeriodicTask.objects.select_related("ledger").select_for_update(of=("self", "ledger"), skip_locked=True)
    return rows.filter(pk=task.pk, ledger__isnull=False).first() is not None


def _write(task: PeriodicTask, schedule: Schedule | None, field: str, value: Any) -> None:
    match field:
        case "task" | "priority" | "enabled":
            setattr(task, field, value)
        case "why":
            task.description = value
        case "args":
            task.kwargs = json.dumps(value)
        case "catch_up":
            if schedule is not None:
                schedule.catch_up = value
        case "timing":
            task.interval = task.crontab = None
            if len(value) == 1:
                task.interval = _first_or_new(IntervalSchedule, every=value[0], period=IntervalSchedule.SECONDS)
            else:
                task.crontab = _first_or_new(CrontabSchedule, **dict(zip((*CRON, "timezone"), value, strict=True)))


def _first_or_new(model: Any, **values: Any) -> Any:
    """The library's tables may hold the same timing twice."""
    return model.objects.filter(**values).order_by("pk").first() or model.objects.create(**values)


def _timing_now(task: PeriodicTask) -> list[Any] | None:
    if task.interval is not None:
        try:
            return [timedelta(**{task.interval.period: task.interval.every}) / timedelta(seconds=1)]
        except OverflowError:  # a million years
            return None
    if task.crontab is not None:
        return [*(str(getattr(task.crontab, field)) for field in CRON), str(task.crontab.timezone)]
    return None


def _args_now(task: PeriodicTask) -> Any:
    try:
        return json.loads(task.kwargs or "{}")
    except (ValueError, RecursionError):
        return None
