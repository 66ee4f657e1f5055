"""Asking once before dead jobs are replayed or discarded, and saying afterwards what was done.

The page carries each job's number and the generation that was seen. Whatever happens between the look and the press,
and however often somebody presses, a death is dealt with once.
"""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.chosen_jobs import REPLAY, Chosen, Verb, look, read_seen
from jobs.admin.reason_form import ReasonForm
from jobs.dead.bulk import Result, discard_batch, replay_batch
from jobs.dead.selection import QUARANTINE_GENERATION


class DeadJobsForm(ReasonForm):
    """Why; and for what is in quarantine, a second thought."""

    include_quarantined = forms.BooleanField(label=_("Replay those in quarantine too"), required=False)


def question(
    page: admin.ModelAdmin, request: HttpRequest, verb: Verb, *, seen: dict[int, int], back: str = ""
) -> HttpResponse:
    """The page that asks. ``seen``: the generation of each job by its number. ``back``: the list's filters."""
    chosen = look(verb, seen)
    if not chosen.possible and not chosen.unfit:
        page.message_user(
            request, gettext("None of these jobs is dead any more; nothing was changed."), messages.WARNING
        )
        return _back(seen, back)
    return _render(page, request, verb, chosen, DeadJobsForm(), seen=seen, back=back)


def confirm(page: admin.ModelAdmin, request: HttpRequest, verb: Verb) -> HttpResponse:
    """Ask (GET), or do it and say what was done (POST)."""
    if not request.user.has_perm(verb.permission):
        raise PermissionDenied
    typed = request.POST if request.method == "POST" else request.GET
    seen, back = read_seen(typed.get("jobs", "")), typed.get("back", "")
    if request.method != "POST":
        return question(page, request, verb, seen=seen, back=back)
    chosen, form = look(verb, seen), DeadJobsForm(request.POST)
    if not form.is_valid():
        return _render(page, request, verb, chosen, form, seen=seen, back=back)
    if chosen.quarantined and not chosen.rows and not form.cleaned_data["include_quarantined"]:
        form.add_error("include_quarantined", gettext("Tick this to replay them all the same, or go back."))
        return _render(page, request, verb, chosen, form, seen=seen, back=back)
    rows = chosen.rows + (chosen.quarantined if form.cleaned_data["include_quarantined"] else [])
    batch = replay_batch if verb is REPLAY else discard_batch
    result = batch(rows, by=request.user.get_username(), reason=form.cleaned_data["reason"])
    result.missed += chosen.gone
    _say(page, request, verb, result, left=chosen.possible - len(rows), seen=seen)
    return _back(seen, back)


def _render(
    page: admin.ModelAdmin,
    request: HttpRequest,
    verb: Verb,
    chosen: Chosen,
    form: DeadJobsForm,
    *,
    seen: dict[int, int],
    back: str,
) -> HttpResponse:
    context = {
        **page.admin_site.each_context(request),
        "title": _title(verb, chosen.possible),
        "opts": page.opts,
        "media": page.media,
        "verb": verb,
        "chosen": chosen,
        "quarantine_generation": QUARANTINE_GENERATION,
        "form": form,
        "jobs": ",".join(f"{job_id}:{generation}" for job_id, generation in seen.items()),
        "back": back,
        "back_url": _back_url(seen, back),
    }
    return TemplateResponse(request, "admin/jobs/confirm_dead_jobs.html", context)


def _title(verb: Verb, count: int) -> str:
    if verb is REPLAY:
        words = ngettext("Replay %(n)d dead job?", "Replay %(n)d dead jobs?", count)
    else:
        words = ngettext("Discard %(n)d dead job?", "Discard %(n)d dead jobs?", count)
    return words % {"n": count}


def _say(
    page: admin.ModelAdmin, request: HttpRequest, verb: Verb, result: Result, *, left: int, seen: dict[int, int]
) -> None:
    if result.changed:
        if verb is REPLAY:
            words = ngettext("%(n)d job was replayed.", "%(n)d jobs were replayed.", result.changed)
        else:
            words = ngettext("%(n)d job was discarded.", "%(n)d jobs were discarded.", result.changed)
        done = words % {"n": result.changed}
        may_see = request.user.has_perm("jobs.view_job")
        page.message_user(request, _linked(done, list(seen)) if may_see else done, messages.SUCCESS)
    if left:
        words = ngettext("%(n)d job stays in quarantine.", "%(n)d jobs stay in quarantine.", left)
        page.message_user(request, words % {"n": left}, messages.WARNING)
    if result.missed:
        words = ngettext(
            "%(n)d job was no longer dead, and was left alone.",
            "%(n)d jobs were no longer dead, and were left alone.",
            result.missed,
        )
        page.message_user(request, words % {"n": result.missed}, messages.WARNING)
    for job_id, why in result.refused[:10]:
        page.message_user(request, f"{gettext('Job %(id)s') % {'id': job_id}}: {why}", messages.ERROR)


def _linked(words: str, job_ids: Sequence[int]) -> str:
    """With a link to the job, where it is one."""
    if len(job_ids) != 1:
        return words
    address = reverse("admin:jobs_job_change", args=job_ids)
    return format_html('{} <a href="{}">{}</a>', words, address, gettext("Job %(id)s") % {"id": job_ids[0]})


def _back(seen: dict[int, int], back: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(_back_url(seen, back))


def _back_url(seen: dict[int, int], back: str) -> str:
    return reverse("admin:jobs_deadjob_changelist") + (f"?{back}" if back else "")
