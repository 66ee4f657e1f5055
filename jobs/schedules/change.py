"""Writing what staff typed on the page of a schedule.

Guarantee: the periodic task, its timing and its catch-up rule change together; a beat sees the old or the new.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django_celery_beat.models import PeriodicTask

from jobs.models import Schedule
from jobs.schedules.switch import forget_plan, hold_plan


def save_schedule(*, task: PeriodicTask, catch_up: str) -> None:
    """Store a periodic task, new or changed, with the rule for runs that were missed.

    Its interval, crontab or clocked row may be unsaved: an equal one is taken, or it is stored. An existing one is
    never changed, since other schedules may use it too. Beats plan the schedule anew within a second.
    """
    with transaction.atomic():
        if task.pk is not None:
            hold_plan(schedule_id=task.pk)
        for field in ("interval", "crontab", "clocked"):
            row = getattr(task, field)
            if row is not None and row.pk is None:
                setattr(task, field, _stored(row))
        task.save()
        Schedule.objects.update_or_create(periodic_task=task, defaults={"catch_up": catch_up})
        if not task.enabled:
            forget_plan(schedule_id=task.pk)


def _stored(row: Any) -> Any:
    """The library's tables may hold the same timing twice."""
    values = {field.name: getattr(row, field.name) for field in row._meta.concrete_fields if not field.primary_key}
    found = type(row).objects.filter(**values).order_by("pk").first()
    if found is None:
        row.save()
    return found or row
