"""Giving a dead job up for good, with a reason.

Guarantee: the job is cancelled and the audit trail says who did it and why, or nothing has changed. What its death
meant to the domain stays as it is: a ticket that failed is still failed, and somebody must tell the fan.
"""

from __future__ import annotations

import structlog
from django.db import transaction

from jobs import transitions
from jobs.audit import require_reason, write_down
from jobs.dead.replay import dead_row
from jobs.dead.selection import DeadRow
from jobs.errors import NotDead
from jobs.models import StaffAction

log = structlog.get_logger(__name__)


def discard_job(*, job_id: int, generation: int, by: str, reason: str, using: str = "default") -> None:
    """Cancel one dead job.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.
    Raises ReasonMissing, and NotDead when somebody was first; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        row = dead_row(job_id=job_id, generation=generation, using=using)
        give_up(row, by=by, reason=reason, using=using)
    log.info("job_discarded", job=job_id, task=row.task)


def give_up(row: DeadRow, *, by: str, reason: str, using: str) -> None:
    """Discard a job that was read, in the caller's transaction, which an error must roll back."""
    if not transitions.cancel(
        using=using,
        job_id=row.job_id,
        generation=row.generation,
        reason=f"discarded: {reason.strip()}",
        states=("dead",),
    ):
        raise NotDead
    write_down(
        action=StaffAction.Action.DISCARD,
        job_id=row.job_id,
        generation=row.generation,
        by=by,
        reason=reason,
        job_reason=row.reason,
        job_error=row.error,
        using=using,
    )
