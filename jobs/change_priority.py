"""Letting a waiting job go earlier or later than others of its queue that are due.

Guarantee: the priority is changed and the audit trail says from what to what, by whom and why, or nothing has changed.
Age goes before priority now and then (``relay/seniority.py``), so that the least urgent job starts, too.
"""

from __future__ import annotations

import structlog
from django.db import transaction
from django.utils.translation import gettext as _

from jobs import transitions, wakeup
from jobs.audit import require_reason
from jobs.by_hand import hold_still, stands, write_trail
from jobs.errors import PriorityNotChangeable
from jobs.models import Job, StaffAction

log = structlog.get_logger(__name__)

MOST_URGENT, LEAST_URGENT = 0, 9


def change_priority(
    *, job_id: int, generation: int, priority: int, by: str, reason: str, using: str = "default"
) -> None:
    """Give one waiting job another priority, from 0 (the most urgent) to 9.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.
    Raises ReasonMissing, and PriorityNotChangeable, which says why not; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    if not MOST_URGENT <= priority <= LEAST_URGENT:
        raise PriorityNotChangeable(_("A priority is a number from 0, the most urgent, to 9; nothing was changed."))
    with transaction.atomic(using=using):
        job = hold_still(job_id=job_id, generation=generation, error=PriorityNotChangeable, using=using)
        if not transitions.set_priority(using=using, job_id=job_id, generation=generation, priority=priority):
            raise PriorityNotChangeable(_same(job) if job.state == Job.State.WAITING else stands(job))
        why = f"{job.priority} → {priority}: {reason.strip()}"
        write_trail(job, action=StaffAction.Action.PRIORITY, by=by, reason=why, using=using)
        wakeup.ring_on_commit(using=using)
    log.info("job_priority_changed", job=job_id, task=job.task, before=job.priority, priority=priority)


def _same(job: Job) -> str:
    return _("Job %(id)s has priority %(priority)s already.") % {"id": job.pk, "priority": job.priority}
