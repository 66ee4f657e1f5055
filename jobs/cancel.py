"""Ending a job that nobody wants any more, whatever it is about to do.

Guarantee: the job is cancelled and the audit trail says who did it and why, or nothing has changed. A run that is
under way ends without effects in the database: its record finds 0 rows. What it does outside may still happen.
"""

from __future__ import annotations

import structlog
from django.db import transaction

from jobs import transitions
from jobs.audit import require_reason, write_down
from jobs.errors import NotCancellable
from jobs.models import Job, StaffAction

log = structlog.get_logger(__name__)


def cancel_job(*, job_id: int, generation: int, by: str, reason: str, using: str = "default") -> None:
    """Cancel one job that has not ended well, and has not been cancelled yet.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.
    Raises ReasonMissing, and NotCancellable when it has ended or was replayed since; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        # Locked, so that the trail tells what the row said when it was cancelled.
        job = Job.objects.using(using).select_for_update().filter(pk=job_id, generation=generation).first()
        if job is None or not transitions.cancel(
            using=using, job_id=job_id, generation=generation, reason=f"by staff: {reason.strip()}"
        ):
            raise NotCancellable
        write_down(
            action=StaffAction.Action.CANCEL,
            job_id=job_id,
            generation=generation,
            by=by,
            reason=reason,
            job_reason=job.reason,
            job_error=job.error,
            using=using,
        )
    log.info("job_cancelled", job=job_id, task=job.task)
