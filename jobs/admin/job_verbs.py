"""What staff may do to a job that is not dead: cancel it, let it run now, give it another priority."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from jobs.by_hand import stands
from jobs.cancel import cancel_job
from jobs.change_priority import change_priority
from jobs.models import Job
from jobs.run_now import run_job_now


@dataclass(frozen=True)
class JobVerb:
    """One change of a job that waits for a human's word.

    name: part of its address. opens: what the button says that leads to the question. button: what the one says that
    does it. asks, did: with ``%(n)s``, how many, or ``%(id)s``, which. states: of the jobs that it can be done to.
    """

    name: str
    permission: str
    opens: str | Promise
    button: str | Promise
    asks_one: str | Promise
    asks_many: str | Promise
    did_one: str | Promise
    did_many: Promise
    what_happens: str | Promise
    states: tuple[str, ...]
    change: Callable[..., None]

    def why_not(self, job: Job, now: datetime) -> str:
        """Why it cannot be done to the job as it is now, as a sentence; empty when it can. now: the database's."""
        if job.state not in self.states:
            return stands(job)
        if self is RUN_NOW and job.available_at <= now:
            return str(_("Job %(id)s is due already.")) % {"id": job.pk}
        return ""


CANCEL = JobVerb(
    name="cancel",
    permission="jobs.cancel_job",
    opens=_("Cancel…"),
    button=_("Cancel for good"),
    asks_one=_("Cancel job %(id)s?"),
    asks_many=ngettext_lazy("Cancel %(n)d job?", "Cancel %(n)d jobs?", "n"),
    did_one=_("Job %(id)s was cancelled."),
    did_many=ngettext_lazy("%(n)d job was cancelled.", "%(n)d jobs were cancelled.", "n"),
    what_happens=_(
        "What is cancelled never runs, and nobody does its work instead: a ticket is not made, a mail is not sent. A "
        "run that is under way leaves nothing in the database; what it has done outside, such as a mail that has left, "
        "stays done. This cannot be undone."
    ),
    states=(Job.State.WAITING, Job.State.PUBLISHED, Job.State.RUNNING),
    change=cancel_job,
)
RUN_NOW = JobVerb(
    name="run-now",
    permission="jobs.run_job",
    opens=_("Run now…"),
    button=_("Run now"),
    asks_one=_("Run job %(id)s now?"),
    asks_many=ngettext_lazy("Run %(n)d job now?", "Run %(n)d jobs now?", "n"),
    did_one=_("Job %(id)s is due now."),
    did_many=ngettext_lazy("%(n)d job is due now.", "%(n)d jobs are due now.", "n"),
    what_happens=_(
        "Its time is not waited for any longer. Attempts that failed stay counted, and whatever else holds it goes on "
        "holding it."
    ),
    states=(Job.State.WAITING,),
    change=run_job_now,
)
PRIORITY = JobVerb(
    name="priority",
    permission="jobs.prioritise_job",
    opens=_("Change priority…"),
    button=_("Change priority"),
    asks_one=_("Change the priority of job %(id)s?"),
    asks_many=ngettext_lazy("Change the priority of %(n)d job?", "Change the priority of %(n)d jobs?", "n"),
    did_one=_("Job %(id)s has another priority."),
    did_many=ngettext_lazy("%(n)d job has another priority.", "%(n)d jobs have another priority.", "n"),
    what_happens=_(
        "Among the jobs of its queue that are due, the more urgent go first. It decides nothing while the job is not "
        "due, or held by something else."
    ),
    states=(Job.State.WAITING,),
    change=change_priority,
)

VERBS: Sequence[JobVerb] = (RUN_NOW, PRIORITY, CANCEL)


def may(request: HttpRequest, verb: JobVerb) -> bool:
    """Whether this user may do it, and see what it is done to."""
    return request.user.has_perm(verb.permission) and request.user.has_perm("jobs.view_job")
