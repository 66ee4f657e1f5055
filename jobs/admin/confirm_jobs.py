"""Asking once before jobs are cancelled, let run now or given another priority, and saying afterwards what was done.

The page carries each job's number and the generation that was seen. However often somebody presses, it is done once:
the service's own UPDATE decides, and what it leaves alone is told with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.chosen_jobs import MAX_AT_ONCE, read_seen
from jobs.admin.job_verbs import PRIORITY, RUN_NOW, JobVerb, may
from jobs.admin.reason_form import ReasonForm
from jobs.by_hand import another
from jobs.change_priority import LEAST_URGENT, MOST_URGENT
from jobs.clock import database_now
from jobs.dead.causes import reason_in_words
from jobs.errors import JobsError
from jobs.models import Job
from jobs.why_it_waits import why_it_waits

FROM_ITS_PAGE = "job"
TOLD = 10
"""Jobs that are named one by one; of more, only how many."""


class PriorityForm(ReasonForm):
    """Which priority, and why."""

    priority = forms.TypedChoiceField(
        label=_("Priority"),
        coerce=int,
        choices=[
            (number, {MOST_URGENT: _("0, the most urgent"), LEAST_URGENT: _("9, the least urgent")}.get(number, number))
            for number in range(MOST_URGENT, LEAST_URGENT + 1)
        ],
    )


@dataclass
class Looked:
    """The jobs that a page is about, as they are now, and why some of them are left alone."""

    jobs: list[Job] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def groups(self) -> list[tuple[str, str, int]]:
        """Task, state, and how many."""
        named = sorted((job.task, str(job.get_state_display())) for job in self.jobs)
        return [(task, state, len(list(same))) for (task, state), same in groupby(named)]


def ask_about(page: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Job], verb: JobVerb) -> HttpResponse:
    """Lead from the list, where jobs were ticked, to the question about them."""
    seen = dict(queryset.order_by("pk").values_list("pk", "generation")[: MAX_AT_ONCE + 1])
    back = request.GET.urlencode()
    if len(seen) > MAX_AT_ONCE:
        words = gettext("More than %(most)d jobs at once are for the command line: manage.py %(command)s.")
        told = words % {"most": MAX_AT_ONCE, "command": f"job ID … {verb.name}"}
        page.message_user(request, told, messages.ERROR)
        return HttpResponseRedirect(_back_url(seen, back))
    looked = _look(verb, seen)
    return _ask(page, request, verb, looked, _form(verb, looked), seen=seen, back=back)


def confirm(page: admin.ModelAdmin, request: HttpRequest, verb: JobVerb) -> HttpResponse:
    """Ask (GET), or do it and say what was done (POST)."""
    if not may(request, verb):
        raise PermissionDenied
    typed = request.POST if request.method == "POST" else request.GET
    seen, back = read_seen(typed.get("jobs", "")), typed.get("back", "")
    looked = _look(verb, seen)
    form = _form(verb, looked, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _ask(page, request, verb, looked, form, seen=seen, back=back)
    done, left = [], list(looked.left)
    for job in looked.jobs:  # each by itself: what was done to one stays done when the next is refused
        try:
            verb.change(job_id=job.pk, generation=seen[job.pk], by=request.user.get_username(), **form.cleaned_data)
        except JobsError as refusal:
            left.append(str(refusal))
        else:
            done.append(job.pk)
    _say(page, request, verb, done, left)
    return HttpResponseRedirect(_back_url(seen, back))


def _look(verb: JobVerb, seen: dict[int, int]) -> Looked:
    """Read the jobs, and part those that it cannot be done to. Two queries, and one for each that is gone."""
    looked, now = Looked(), database_now()
    found = Job.objects.defer("traceback").in_bulk(list(seen))
    for job_id, generation in sorted(seen.items()):
        job = found.get(job_id)
        if job is None or job.generation != generation:
            looked.left.append(another(job, job_id=job_id))
        elif why := verb.why_not(job, now):
            looked.left.append(why)
        else:
            looked.jobs.append(job)
    return looked


def _form(verb: JobVerb, looked: Looked, typed: Any = None) -> ReasonForm:
    """The form of the verb; empty, and not valid, until something was typed."""
    if verb is not PRIORITY:
        return ReasonForm(typed)
    return PriorityForm(typed, initial={"priority": looked.jobs[0].priority if len(looked.jobs) == 1 else 5})


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    verb: JobVerb,
    looked: Looked,
    form: ReasonForm,
    *,
    seen: dict[int, int],
    back: str,
) -> HttpResponse:
    if not looked.jobs:
        _say(page, request, verb, [], looked.left)
        return HttpResponseRedirect(_back_url(seen, back))
    alone = looked.jobs[0] if len(looked.jobs) == 1 else None
    context: dict[str, Any] = {
        **page.admin_site.each_context(request),
        "title": verb.asks_one % {"id": alone.pk} if alone else verb.asks_many % {"n": len(looked.jobs)},
        "opts": page.opts,
        "media": page.media,
        "verb": verb,
        "looked": looked,
        "alone": alone,
        "why": reason_in_words(alone.reason) if alone else "",
        "goes_on_waiting_for": _holds(alone) if alone and verb is RUN_NOW else [],
        "form": form,
        "jobs": ",".join(f"{job_id}:{generation}" for job_id, generation in seen.items()),
        "back": back,
        "back_url": _back_url(seen, back),
    }
    return TemplateResponse(request, "admin/jobs/confirm_jobs.html", context)


def _holds(job: Job) -> list[str]:
    """What holds the job beside its time."""
    now = database_now()
    job.available_at = min(job.available_at, now)
    return [obstacle.sentence for obstacle in why_it_waits(job=job, now=now)]


def _say(page: admin.ModelAdmin, request: HttpRequest, verb: JobVerb, done: list[int], left: list[str]) -> None:
    if len(done) == 1:
        address = reverse("admin:jobs_job_change", args=done)
        told = format_html(
            '{} <a href="{}">{}</a>',
            verb.did_one % {"id": done[0]},
            address,
            gettext("Job %(id)s") % {"id": done[0]},
        )
        page.message_user(request, told, messages.SUCCESS)
        if verb is RUN_NOW and (job := Job.objects.filter(pk=done[0]).first()) is not None:
            for sentence in _holds(job):
                page.message_user(request, sentence, messages.WARNING)
    elif done:
        page.message_user(request, verb.did_many % {"n": len(done)}, messages.SUCCESS)
    for why in left[:TOLD]:
        page.message_user(request, why, messages.WARNING)
    if len(left) > TOLD:
        words = gettext("%(n)d more jobs were left as they were, for reasons like these.")
        page.message_user(request, words % {"n": len(left) - TOLD}, messages.WARNING)
    if not done and not left:
        page.message_user(request, gettext("No job was named; nothing was changed."), messages.WARNING)


def _back_url(seen: dict[int, int], back: str) -> str:
    if back == FROM_ITS_PAGE and len(seen) == 1:
        return reverse("admin:jobs_job_change", args=list(seen))
    return reverse("admin:jobs_job_changelist") + (f"?{back}" if back and back != FROM_ITS_PAGE else "")
