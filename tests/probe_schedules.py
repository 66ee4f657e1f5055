"""Schedules of the tests. Each due time becomes one job whose key it is, so that everything can be counted by it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from django.db import transaction
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from jobs.clock import database_now
from jobs.models import Job, Schedule, ScheduledRun
from jobs.periodic import DUE_AT
from jobs.schedules.fire import subject_of

SECOND = timedelta(seconds=1)
PLANNED_WITHIN = 2 * SECOND
"""A beat that ticks looks for new schedules each second."""

_numbers = count()


@dataclass(frozen=True)
class ProbeSchedule:
    """A schedule that is due each second from ``start`` on, and not from ``end`` on."""

    pk: int
    name: str
    start: datetime
    end: datetime

    @property
    def keys(self) -> list[str]:
        """One for each of its due times."""
        return [(self.start + SECOND * number).isoformat() for number in range((self.end - self.start) // SECOND)]

    def due_times(self) -> list[datetime]:
        """Those that were claimed, in order."""
        return list(ScheduledRun.objects.filter(schedule=self.pk).order_by("due_at").values_list("due_at", flat=True))

    def jobs(self) -> list[int]:
        return list(Job.objects.filter(subject=subject_of(self.name)).values_list("pk", flat=True))

    def enqueued(self) -> list[str]:
        """The keys of its jobs, in order."""
        return sorted(Job.objects.filter(subject=subject_of(self.name)).values_list("args__key", flat=True))

    def next_run_at(self) -> datetime | None:
        """The due time that is planned; None before a beat has seen the schedule, and after the last one."""
        return Schedule.objects.values_list("next_run_at", flat=True).get(pk=self.pk)

    def is_over(self) -> bool:
        """Whether its last due time has been run."""
        return self.due_times()[-1:] >= [self.end - SECOND]

    def disable(self) -> None:
        task = PeriodicTask.objects.get(pk=self.pk)
        task.enabled = False
        task.save()


def add_schedule(*, seconds: int, catch_up: str = "all", after: timedelta = PLANNED_WITHIN) -> ProbeSchedule:
    """A schedule with so many due times, a second apart, of which the first comes ``after`` from now.

    Those that are made together are told apart by it.
    """
    name = f"probe {next(_numbers)}"
    start = database_now().astimezone(UTC) + after
    end = start + SECOND * seconds
    with transaction.atomic():
        interval, _ = IntervalSchedule.objects.get_or_create(every=1, period=IntervalSchedule.SECONDS)
        task = PeriodicTask.objects.create(
            name=name,
            task="probe.leave_a_mark",
            kwargs=json.dumps({"key": DUE_AT}),
            interval=interval,
            start_time=start,
            expires=end,
        )
        Schedule.objects.create(periodic_task=task, catch_up=catch_up)
    return ProbeSchedule(pk=task.pk, name=name, start=start, end=end)
