"""Schedules as staff and beats leave them: rows made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.models import Job, Schedule, ScheduledRun

MakeSchedule = Callable[..., Schedule]
MakeRun = Callable[..., ScheduledRun]

FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")


@pytest.fixture
def schedules(db: None) -> MakeSchedule:
    """Makes one schedule of the probe's task, every 30 seconds unless a ``cron`` (with its ``zone``) is given.

    What the ledger keeps (``catch_up``, ``next_run_at``, ``installed``, ``error``, ``skipped``) goes there, anything
    else to the periodic task.
    """

    def _make(
        name: str = "sweep", *, every: int = 30, cron: str = "", zone: str = "UTC", args: Any = None, **given: Any
    ) -> Schedule:
        if cron:
            fields = dict(zip(FIELDS, cron.split(), strict=True))
            timing: dict[str, Any] = {"crontab": CrontabSchedule.objects.create(**fields, timezone=zone)}
        elif every:
            timing = {"interval": IntervalSchedule.objects.create(every=every, period="seconds")}
        else:
            timing = {}
        of_ledger = ("catch_up", "next_run_at", "definition", "installed", "error", "skipped")
        ledger = {key: given.pop(key) for key in of_ledger if key in given}
        kwargs = json.dumps({"key": name} if args is None else args)
        values = {"task": "probe.leave_a_mark", "kwargs": kwargs, **timing, **given}
        return Schedule.objects.create(periodic_task=PeriodicTask.objects.create(name=name, **values), **ledger)

    return _make


@pytest.fixture
def scheduled_run(db: None) -> MakeRun:
    """Makes one run of a schedule with its job, done unless something else is said of it."""

    def _make(schedule: Schedule, *, due_at: datetime, **job: Any) -> ScheduledRun:
        task = schedule.periodic_task
        values = {"task": task.task, "queue": "probe", "state": "done", "subject": f"schedule:{task.name}", **job}
        made = Job.objects.create(created_at=due_at, available_at=due_at, **values)
        return ScheduledRun.objects.create(schedule=schedule, due_at=due_at, job_id=made.pk, enqueued_at=due_at)

    return _make
