"""Replaying or discarding all dead jobs of a filter: what would be done, doing it, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.chosen_jobs import DISCARD, REPLAY, Verb
from jobs.admin.dead_filter import as_command, as_query, chosen_by, read_filter
from jobs.admin.dead_groups import groups_page, subject_page
from jobs.admin.dead_progress import progress_page
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.dead.fit import Misfit, find_misfits
from jobs.dead.run import start_run, stop_run
from jobs.dead.selection import QUARANTINE_GENERATION, Filter, Group, count_quarantined, groups
from jobs.models import DeadRun

SHOWN = 20
"""Groups that the page names; of more, only how many."""

LARGEST_RATE, MOST = 1000, 10_000_000


class RunForm(ReasonForm):
    """How fast, how many, and why."""

    rate = forms.FloatField(
        label=_("At most per second"),
        required=False,
        min_value=0.01,
        max_value=LARGEST_RATE,
        help_text=_("Left empty: as fast as workers take them."),
    )
    limit = forms.IntegerField(
        label=_("Only the oldest"),
        required=False,
        min_value=1,
        max_value=MOST,
        help_text=_("How many. Left empty: all of them."),
    )
    include_quarantined = forms.BooleanField(label=_("Replay those in quarantine too"), required=False)
    number = forms.UUIDField(widget=forms.HiddenInput)


@dataclass(frozen=True)
class DryRun:
    """What would be done, and what would be left as it is and why."""

    found: Sequence[Group]
    quarantined: int
    misfits: Sequence[Misfit]

    @property
    def matching(self) -> int:
        return sum(group.count for group in self.found)

    @property
    def unfit(self) -> int:
        return sum(misfit.jobs.count for misfit in self.misfits)

    @property
    def possible(self) -> int:
        return self.matching - self.quarantined - self.unfit

    @property
    def shown(self) -> Sequence[Group]:
        return self.found[:SHOWN]

    @property
    def not_shown(self) -> int:
        return len(self.found) - len(self.shown)


def pages(page: admin.ModelAdmin) -> list[URLPattern]:
    """The addresses of what can be done to all dead jobs of a filter."""
    view = page.admin_site.admin_view
    return [
        path("groups/", view(partial(groups_page, page)), name="jobs_deadjob_groups"),
        path("about/", view(partial(subject_page, page)), name="jobs_deadjob_about"),
        path("replay-all/", view(partial(_ask, page, REPLAY)), name="jobs_deadjob_replay_all"),
        path("discard-all/", view(partial(_ask, page, DISCARD)), name="jobs_deadjob_discard_all"),
        path("runs/<int:deadrun_id>/", view(partial(progress_page, page)), name="jobs_deadjob_run"),
        path("runs/<int:deadrun_id>/stop/", view(partial(_stop, page)), name="jobs_deadjob_stop_run"),
    ]


def _ask(page: admin.ModelAdmin, verb: Verb, request: HttpRequest) -> HttpResponse:
    """Say what would be done (GET), or begin it (POST)."""
    if not request.user.has_perm(verb.permission):
        raise PermissionDenied
    typed = request.POST if request.method == "POST" else request.GET
    chooser, given = chosen_by(typed)
    if not chooser.is_valid():  # an option that was mistyped must not choose more than was meant
        return HttpResponseRedirect(f"{reverse('admin:jobs_deadjob_groups')}?{as_query(typed.dict())}")
    chosen = read_filter(given, now=database_now())
    form = RunForm(request.POST) if request.method == "POST" else RunForm(initial={"number": uuid4()})
    if request.method == "POST" and form.is_valid():
        return _begin(page, request, verb, chosen, form.cleaned_data)
    dry = _dry_run(verb, chosen)
    context = {
        **page.admin_site.each_context(request),
        "title": _title(verb, dry.possible),
        "opts": page.opts,
        "media": page.media,
        "verb": verb,
        "dry": dry,
        "form": form,
        "is_replay": verb is REPLAY,
        "given": given,
        "command": as_command(verb.command, given),
        "quarantine_generation": QUARANTINE_GENERATION,
        "back_url": f"{reverse('admin:jobs_deadjob_groups')}?{as_query(given)}",
    }
    return TemplateResponse(request, "admin/jobs/ask_dead_run.html", context)


def _dry_run(verb: Verb, chosen: Filter) -> DryRun:
    if verb is not REPLAY:
        return DryRun(groups(chosen), 0, ())
    fresh = replace(chosen, include_quarantined=False)
    return DryRun(groups(chosen), count_quarantined(chosen), find_misfits(fresh))


def _begin(
    page: admin.ModelAdmin, request: HttpRequest, verb: Verb, chosen: Filter, typed: dict[str, Any]
) -> HttpResponse:
    number: UUID = typed["number"]
    is_replay = verb is REPLAY
    run_id = start_run(
        action=DeadRun.Action.REPLAY if is_replay else DeadRun.Action.DISCARD,
        chosen=replace(chosen, limit=typed["limit"], include_quarantined=typed["include_quarantined"] or not is_replay),
        number=number,
        by=request.user.get_username(),
        reason=typed["reason"],
        rate=typed["rate"] if is_replay else None,
    )
    if run_id is None:
        page.message_user(request, gettext("This had begun already; here it is."), messages.WARNING)
        run_id = DeadRun.objects.values_list("pk", flat=True).get(number=number)
    return HttpResponseRedirect(reverse("admin:jobs_deadjob_run", args=[run_id]))


def _stop(page: admin.ModelAdmin, request: HttpRequest, deadrun_id: int) -> HttpResponse:
    """Stop a run (POST); anything else leads to its page."""
    found: DeadRun | None = DeadRun.objects.filter(pk=deadrun_id).first()
    if found is None:
        raise Http404
    verb = REPLAY if found.action == DeadRun.Action.REPLAY else DISCARD
    if not request.user.has_perm(verb.permission):
        raise PermissionDenied
    if request.method == "POST":
        stopped = stop_run(run_id=deadrun_id, by=request.user.get_username())
        words = gettext("It was stopped.") if stopped else gettext("It had ended before.")
        page.message_user(request, words, messages.SUCCESS if stopped else messages.WARNING)
    return HttpResponseRedirect(reverse("admin:jobs_deadjob_run", args=[deadrun_id]))


def _title(verb: Verb, count: int) -> str:
    if verb is REPLAY:
        words = ngettext("Replay %(n)d dead job?", "Replay %(n)d dead jobs?", count)
    else:
        words = ngettext("Discard %(n)d dead job?", "Discard %(n)d dead jobs?", count)
    return words % {"n": count}
