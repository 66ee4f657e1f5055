"""Letting a periodic task run at once, beside its plan.

Guarantee: the job, its run and the entry in the audit trail that says who did it and why exist together, or none does.
Its plan stays: what is due later comes all the same. Each press is one run, however often its form arrives.
"""

from __future__ import annotations

import structlog
from django.db import transaction
from django_celery_beat.models import PeriodicTask

from jobs.audit import require_reason, write_down_target
from jobs.clock import database_now
from jobs.errors import UnknownTarget
from jobs.models import DedupKey, Schedule, ScheduledRun, StaffAction
from jobs.schedules.fire import enqueue_scheduled
from jobs.schedules.switch import target_of

log = structlog.get_logger(__name__)


def run_schedule_now(*, schedule_id: int, press: str, by: str, reason: str) -> tuple[int, bool]:
    """Enqueue the task of a schedule, enabled or not, as due now; return the job's id and whether this press made it.

    schedule_id: of the periodic task. press: names the press of the button; one that came before makes nothing.
    by, reason: who and why, for the audit trail.
    Raises ReasonMissing, UnknownTarget if there is no such periodic task, and UnfitSchedule if no job can be made of
    it; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    key = f"run now {schedule_id} {press}"
    with transaction.atomic():
        task = PeriodicTask.objects.filter(pk=schedule_id).first()
        if task is None:
            raise UnknownTarget
        Schedule.objects.get_or_create(periodic_task=task)
        # Two presses of one form at once: the second waits here, and then finds the first.
        Schedule.objects.select_for_update().get(pk=schedule_id)
        if (known := DedupKey.objects.filter(pk=key).first()) is not None:
            return known.job_id, False
        now = database_now()
        job_id = enqueue_scheduled(task, due=now, joins=False)
        DedupKey.objects.create(key=key, job_id=job_id)
        ScheduledRun.objects.create(schedule_id=schedule_id, due_at=now, job_id=job_id)
        write_down_target(action=StaffAction.Action.RUN_NOW, target=target_of(task.name), by=by, reason=reason)
    log.info("schedule_let_run_now", schedule=task.name, job=job_id)
    return job_id, True
