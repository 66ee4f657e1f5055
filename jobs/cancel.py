"""Ending a job that nobody wants any more, whatever it is about to do.

Guarantee: the job is cancelled and the audit trail says who did it and why, or nothing has changed. A run that is
under way ends without effects in the database: its record finds 0 rows. What it does outside may still happen.
"""

from __future__ import annotations

import structlog
from django.db import transaction

from jobs import transitions
from jobs.audit import require_reason
from jobs.by_hand import hold_still, stands, write_trail
from jobs.errors import NotCancellable
from jobs.models import StaffAction

log = structlog.get_logger(__name__)


def cancel_job(*, job_id: int, generation: int, by: str, reason: str, using: str = "default") -> None:
    """Cancel one job that has not ended well, and has not been cancelled yet.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.
    Raises ReasonMissing, and NotCancellable when it has ended or was replayed since; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        job = hold_still(job_id=job_id, generation=generation, error=NotCancellable, using=using)
        if not transitions.cancel(
            using=using, job_id=job_id, generation=generation, reason=f"by staff: {reason.strip()}"
        ):
            raise NotCancellable(stands(job))
        write_trail(job, action=StaffAction.Action.CANCEL, by=by, reason=reason, using=using)
    log.info("job_cancelled", job=job_id, task=job.task)
