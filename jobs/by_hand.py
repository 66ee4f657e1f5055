"""What every change of one job by staff has in common: the row that was seen, held still, and why nothing changed.

The row is locked first, so that the audit trail tells what it said when it was changed, and a refusal what it says now.
"""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from jobs.audit import write_down
from jobs.errors import NotChangeable
from jobs.models import Job, StaffAction
from jobs.selectors import was_removed

_STANDS: dict[str, str | Promise] = {
    Job.State.WAITING: gettext_lazy("Job %(id)s waits."),
    Job.State.PUBLISHED: gettext_lazy("Job %(id)s is with the workers already and starts next."),
    Job.State.RUNNING: gettext_lazy("Job %(id)s is running already."),
    Job.State.DONE: gettext_lazy("Job %(id)s is done already."),
    Job.State.DEAD: gettext_lazy("Job %(id)s is dead: it can be replayed or discarded."),
    Job.State.CANCELLED: gettext_lazy("Job %(id)s is cancelled already."),
}


def hold_still(*, job_id: int, generation: int, error: type[NotChangeable], using: str) -> Job:
    """The job's row, locked until the caller's transaction ends. Raises ``error`` when it is not the one seen."""
    job = Job.objects.using(using).select_for_update().filter(pk=job_id).first()
    if job is None or job.generation != generation:
        raise error(another(job, job_id=job_id, using=using))
    return job


def another(job: Job | None, *, job_id: int, using: str = "default") -> str:
    """What became of a job that is not the one seen, as a sentence. One query for one that is gone."""
    if job is not None:
        return _("Job %(id)s was replayed meanwhile; nothing was changed.") % {"id": job_id}
    if was_removed(job_id=job_id, using=using):
        return _("Job %(id)s has ended and was removed from the ledger; nothing was changed.") % {"id": job_id}
    return _("There is no job %(id)s; nothing was changed.") % {"id": job_id}


def stands(job: Job) -> str:
    """In which state the job is, as the sentence that says why something cannot be done to it now."""
    return str(_STANDS[Job.State(job.state)]) % {"id": job.pk}


def write_trail(job: Job, *, action: StaffAction.Action, by: str, reason: str, using: str) -> None:
    """Tell the audit trail what was done to a job that is held still, and what its row said before."""
    write_down(
        action=action,
        job_id=job.pk,
        generation=job.generation,
        by=by,
        reason=reason,
        job_reason=job.reason,
        job_error=job.error,
        using=using,
    )
