"""The pages on which staff replay, discard or hurry a job of an order, without leaving the order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from boxoffice.support.actions.order_desk import ask, back, by, order_for, say
from boxoffice.support.story.plain_words import explain, name_of_job
from jobs.admin.chosen_jobs import DISCARD, REPLAY
from jobs.admin.job_verbs import RUN_NOW
from jobs.admin.reason_form import ReasonForm
from jobs.dead.discard import discard_job
from jobs.dead.replay import replay_job
from jobs.dead.selection import QUARANTINE_GENERATION
from jobs.errors import JobsError
from jobs.models import Job
from jobs.run_now import run_job_now
from jobs.templatetags.ledger import as_button


@dataclass(frozen=True)
class JobChange:
    """One thing that can be done to a job. title: asks, with ``%(job)s``. button: what the link to the question says.
    did: says that it was done.
    """

    permission: str
    title: str | Promise
    button: str | Promise
    effect: str | Promise
    did: str | Promise
    change: Callable[..., None]


CHANGES = {
    "replay": JobChange(
        REPLAY.permission,
        gettext_lazy("Replay “%(job)s”?"),
        REPLAY.button,
        gettext_lazy("It starts over with the same keys. Do this when its cause is mended; otherwise it dies again."),
        gettext_lazy("“%(job)s” starts over."),
        replay_job,
    ),
    "discard": JobChange(
        DISCARD.permission,
        gettext_lazy("Discard “%(job)s”?"),
        DISCARD.button,
        gettext_lazy(
            "It never runs again. What failed with it stays failed: a ticket is not made, a mail is not sent."
        ),
        gettext_lazy("“%(job)s” was discarded."),
        discard_job,
    ),
    "run-now": JobChange(
        RUN_NOW.permission,
        gettext_lazy("Run “%(job)s” now?"),
        RUN_NOW.button,
        RUN_NOW.what_happens,
        gettext_lazy("“%(job)s” is due now."),
        run_job_now,
    ),
}


class JobForm(ReasonForm):
    """Why, and the generation that the page saw."""

    generation = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class QuarantineForm(JobForm):
    """The same for one that has died again and again."""

    again = forms.BooleanField(label=gettext_lazy("Replay it all the same: it has died again after each replay."))
    field_order = ("again", "reason")


def job_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int, job_id: int, verb: str) -> HttpResponse:
    """Ask (GET), or do it and say so (POST)."""
    if verb not in CHANGES:
        raise Http404
    change = CHANGES[verb]
    order = order_for(request, order_id=order_id, permission=change.permission)
    job = Job.objects.filter(pk=job_id, subject=order.subject).first()
    if job is None:
        messages.warning(request, _("This job has ended and is not in the ledger any more. Nothing was changed."))
        return back(order)
    quarantined = verb == "replay" and job.generation >= QUARANTINE_GENERATION
    form_class = QuarantineForm if quarantined else JobForm
    form = form_class(request.POST if request.method == "POST" else None, initial={"generation": job.generation})
    words = {"job": name_of_job(job.task)}
    if not form.is_valid():
        why = _("Its last error: %(error)s") % {"error": explain(job.error)} if job.error else ""
        title = str(change.title % words)
        return ask(
            page,
            request,
            order,
            title=title,
            button=as_button(title),
            form=form,
            effects=[each for each in (why, str(change.effect)) if each],
            final=verb == "discard",
        )
    given = {"generation": form.cleaned_data["generation"], "reason": form.cleaned_data["reason"]}
    try:
        change.change(job_id=job.pk, by=by(request), **given)
    except JobsError as refusal:
        messages.error(request, str(refusal))
    else:
        say(request, change.did % words)
    return back(order)
