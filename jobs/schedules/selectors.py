"""Reading the schedules: which of them need somebody, and what became of their runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connections
from django.db.models import (
    Case,
    DateTimeField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django_celery_beat.models import PeriodicTask

from jobs.clock import DatabaseNow
from jobs.models import Job, Schedule, ScheduledRun

LATE_SECONDS = 60.0
"""A schedule is late when a run has been due for so long and is not enqueued, and a run when its job started so long
after its due time: far longer than another beat takes to step in."""

# The latest runs of each schedule with what their jobs came to, in the ledger or, once they were removed, in its
# history: one statement reads both, so that a job which is moved meanwhile is seen once. Uses
# scheduled_run_once_per_due_time and the primary keys; the history's in each of its partitions.
LATEST_RUNS = """
    SELECT run.schedule_id, run.due_at, run.enqueued_at, run.job_id, coalesce(job.state, past.state),
           coalesce(job.reason, past.reason, ''), coalesce(job.attempts, past.attempts, 0),
           coalesce(job.generation, past.generation, 0), coalesce(job.started_at, past.started_at),
           coalesce(job.finished_at, past.finished_at)
    FROM unnest(%(schedules)s::integer[]) AS asked (id)
    CROSS JOIN LATERAL (
        SELECT schedule_id, due_at, enqueued_at, job_id FROM jobs_scheduledrun
        WHERE schedule_id = asked.id ORDER BY due_at DESC LIMIT %(most)s
    ) AS run
    LEFT JOIN jobs_job AS job ON job.id = run.job_id
    LEFT JOIN LATERAL (
        SELECT state, reason, attempts, generation, started_at, finished_at FROM jobs_jobhistory
        WHERE id = run.job_id AND job.id IS NULL LIMIT 1
    ) AS past ON true
    ORDER BY run.schedule_id, run.due_at DESC
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One due time of a schedule, and what its job came to. Several due times may share a job.

    state: the job's; None when it has been removed from the ledger and its history, or there never was one.
    """

    schedule_id: int
    due_at: datetime
    enqueued_at: datetime
    job_id: int | None
    state: str | None
    reason: str
    attempts: int
    generation: int
    started_at: datetime | None
    finished_at: datetime | None

    def late_seconds(self, now: datetime) -> float | None:
        """How long after its due time the job started, or how long it has not started by now (the database's).

        None where nobody knows: of a job that was tried again only the last start is kept.
        """
        if self.attempts or self.generation:
            return None
        if self.state in (Job.State.WAITING, Job.State.PUBLISHED):
            return max((now - self.due_at).total_seconds(), 0.0)
        return max((self.started_at - self.due_at).total_seconds(), 0.0) if self.started_at else None

    def is_late(self, now: datetime) -> bool:
        """Whether it started, or has not started, for more than ``LATE_SECONDS``."""
        return (self.late_seconds(now) or 0.0) > LATE_SECONDS


def latest_runs(*, schedule_ids: Sequence[int], most: int = 1, using: str = "default") -> dict[int, list[Run]]:
    """The latest runs of each schedule, the last first, ``most`` of each at most. One query."""
    with connections[using].cursor() as cursor:
        cursor.execute(LATEST_RUNS, {"schedules": list(schedule_ids), "most": most})
        runs: dict[int, list[Run]] = {}
        for row in cursor.fetchall():
            runs.setdefault(row[0], []).append(Run(*row))
    return runs


def next_schedules(*, most: int, using: str) -> QuerySet[Schedule]:
    """The enabled schedules that are due next, with their plans, the earliest first. By schedule_by_next_run."""
    enabled = Schedule.objects.using(using).filter(periodic_task__enabled=True, next_run_at__isnull=False)
    return enabled.select_related("periodic_task").order_by("next_run_at")[:most]


def late_schedules(*, using: str = "default") -> QuerySet[Schedule]:
    """Those with a run that has been due for more than ``LATE_SECONDS`` and is not enqueued, the latest first.

    Each with its periodic task. One query, by schedule_by_next_run.
    """
    schedules = Schedule.objects.using(using).select_related("periodic_task")
    return schedules.filter(periodic_task__enabled=True, next_run_at__lt=_late_since()).order_by("next_run_at")


def periodic_tasks(*, using: str = "default") -> QuerySet[PeriodicTask]:
    """All of them with their timing and what the ledger keeps beside it, each with its ``trouble``.

    trouble: 0 it cannot be enqueued, 1 it is late, 2 its last run is dead, 3 its last run was late, 4 none, 5 it is
    disabled.
    """
    last_run = ScheduledRun.objects.filter(schedule=OuterRef("pk")).order_by("-due_at")
    tasks = PeriodicTask.objects.using(using).select_related("interval", "crontab", "solar", "clocked", "ledger")
    tasks = tasks.annotate(
        last_job_id=Subquery(last_run.values("job_id")[:1]), last_due_at=Subquery(last_run.values("due_at")[:1])
    )
    last_job = Job.objects.filter(pk=OuterRef("last_job_id"))
    not_started = Q(state__in=[Job.State.WAITING, Job.State.PUBLISHED]) & Q(due_at__lt=_late_since())
    due_at = ExpressionWrapper(OuterRef("last_due_at"), output_field=DateTimeField())
    late_job = last_job.filter(attempts=0, generation=0).annotate(due_at=due_at)
    return tasks.annotate(
        trouble=Case(
            When(enabled=False, then=Value(5)),
            When(~Q(ledger__error="") & Q(ledger__isnull=False), then=Value(0)),
            When(ledger__next_run_at__lt=_late_since(), then=Value(1)),
            When(Exists(last_job.filter(state=Job.State.DEAD)), then=Value(2)),
            When(Exists(late_job.filter(Q(started_at__gt=F("due_at") + _LATE) | not_started)), then=Value(3)),
            default=Value(4),
            output_field=IntegerField(),
        )
    )


_LATE = timedelta(seconds=LATE_SECONDS)


def _late_since() -> object:
    return DatabaseNow() - Value(_LATE)
