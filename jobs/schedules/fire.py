"""From a due time to a job.

Guarantee (I9): each due time of a schedule becomes at most one job, however many beats run and whatever they believe.
One transaction proves the lease, advances the schedule from the due time that was read, claims the due time in the
table of runs, and enqueues: all of it happens, or nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django_celery_beat.models import PeriodicTask

from jobs import metrics
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.lease import Lease
from jobs.models import Schedule
from jobs.periodic import DUE_AT
from jobs.schedules.catch_up import missed
from jobs.schedules.limits import limit_transaction
from jobs.schedules.occurrences import timing_of
from jobs.schedules.plan import args_of
from jobs.schedules.rows import WITH_TIMING
from jobs.schedules.subject import subject_of
from jobs.session import count, run

log = structlog.get_logger(__name__)

# The longest overdue first. Uses schedule_by_next_run.
DUE = "SELECT periodic_task_id FROM jobs_schedule WHERE next_run_at <= jobs_now() ORDER BY next_run_at, 1"

# Whoever comes second, with what he read before, changes nothing. By primary key.
ADVANCE = """
    UPDATE jobs_schedule SET next_run_at = %(next)s, skipped = skipped + %(skipped)s
     WHERE periodic_task_id = %(id)s AND next_run_at = %(planned)s
"""

# I9. A due time that was run before, by a clock that has been set back since, is not run again.
CLAIM = """
    INSERT INTO jobs_scheduledrun (schedule_id, due_at) VALUES (%(id)s, %(due)s)
    ON CONFLICT (schedule_id, due_at) DO NOTHING RETURNING id
"""
NAME_JOB = "UPDATE jobs_scheduledrun SET job_id = %(job_id)s WHERE id = %(id)s"

# What the library's own pages show. One that is to run once has done so.
NOTE_RUN = """
    UPDATE django_celery_beat_periodictask
       SET last_run_at = jobs_now(), total_run_count = total_run_count + %(runs)s, enabled = enabled AND NOT one_off
     WHERE id = %(id)s
"""


def due_schedules() -> list[int]:
    """The schedules that are due now. One query."""
    return [schedule_id for (schedule_id,) in run("default", DUE, {})]


def fire(*, schedule_id: int, lease: Lease) -> list[int]:
    """Enqueue what is due of one schedule, by its catch-up rule; return the ids of its jobs.

    Nine queries for one run, in one transaction of its own. Raises LockLost when the lease is not ours any more.
    """
    with transaction.atomic():
        limit_transaction()
        lease.prove()
        task = PeriodicTask.objects.select_related(*WITH_TIMING, "ledger").filter(pk=schedule_id, enabled=True).first()
        if task is None or task.ledger.next_run_at is None:
            return []
        schedule = task.ledger
        decision = missed(rule=schedule.catch_up, due=schedule.next_run_at, now=database_now(), timing=timing_of(task))
        advance = {"id": schedule_id, "planned": schedule.next_run_at, "next": decision.next}
        if not count("default", ADVANCE, {**advance, "skipped": decision.skipped}):
            return []
        wanted = decision.fire[:1] if task.one_off else decision.fire
        jobs = [job for due in wanted if (job := _enqueue_run(task, schedule, due)) is not None]
        if jobs:
            count("default", NOTE_RUN, {"id": schedule_id, "runs": len(jobs)})
    metrics.SCHEDULED.labels(schedule=task.name).inc(len(jobs))
    metrics.SCHEDULE_SKIPPED.labels(schedule=task.name).inc(decision.skipped)
    log.info("schedule_fired", schedule=task.name, jobs=jobs, skipped=decision.skipped)
    return jobs


def _enqueue_run(task: PeriodicTask, schedule: Schedule, due: datetime) -> int | None:
    claimed = run("default", CLAIM, {"id": schedule.pk, "due": due})
    if not claimed:
        return None
    job_id = enqueue_scheduled(task, due=due, joins=schedule.catch_up != Schedule.CatchUp.ALL)
    count("default", NAME_JOB, {"job_id": job_id, "id": claimed[0][0]})
    return job_id


def enqueue_scheduled(task: PeriodicTask, *, due: datetime, joins: bool) -> int:
    """Enqueue the task of a schedule for one due time; return the job's id. Requires a transaction.

    joins: while an earlier run of it waits, there is no second one, so that hours without workers leave one job. One
    that was enqueued before staff changed the task or its arguments is other work, and is not joined.
    """
    args = args_of(task)
    return enqueue(
        task=task.task,
        args=_filled(args, due),
        subject=subject_of(task.name),
        priority=task.priority,
        unique_key=_unique_key(task, args) if joins and DUE_AT not in args.values() else "",
    )


def _unique_key(task: PeriodicTask, args: Mapping[str, Any]) -> str:
    work = json.dumps([task.task, args], sort_keys=True)
    return f"{subject_of(task.name)} {hashlib.sha256(work.encode()).hexdigest()[:16]}"


def _filled(args: Mapping[str, Any], due: datetime) -> dict[str, Any]:
    return {name: due.isoformat() if value == DUE_AT else value for name, value in args.items()}
