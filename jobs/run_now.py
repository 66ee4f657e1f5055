"""Letting a job of the future run at once: a retry that need not wait any longer, a delayed job that is wanted now.

Guarantee: the job is due and the audit trail says who did it and why, or nothing has changed. Only its time is passed
over. Its attempts stay; behind another one of its ordering key, in a paused queue, or while its provider is taken for
away, it goes on waiting: ``why_it_waits.py`` tells.
"""

from __future__ import annotations

import structlog
from django.db import transaction
from django.utils.translation import gettext as _

from jobs import transitions, wakeup
from jobs.audit import require_reason
from jobs.by_hand import hold_still, stands, write_trail
from jobs.errors import NotRunnableNow
from jobs.models import Job, StaffAction

log = structlog.get_logger(__name__)


def run_job_now(*, job_id: int, generation: int, by: str, reason: str, using: str = "default") -> None:
    """Make one waiting job due that is not yet.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.
    Raises ReasonMissing, and NotRunnableNow, which says what the job does instead; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        job = hold_still(job_id=job_id, generation=generation, error=NotRunnableNow, using=using)
        if not transitions.run_now(using=using, job_id=job_id, generation=generation):
            raise NotRunnableNow(_due(job) if job.state == Job.State.WAITING else stands(job))
        write_trail(job, action=StaffAction.Action.RUN_NOW, by=by, reason=reason, using=using)
        wakeup.ring_on_commit(using=using)
    log.info("job_let_run_now", job=job_id, task=job.task)


def _due(job: Job) -> str:
    if job.gate == Job.Gate.BLOCKED:
        return _("Job %(id)s is due already, and waits for another one of its ordering key.") % {"id": job.pk}
    return _("Job %(id)s is due already.") % {"id": job.pk}
