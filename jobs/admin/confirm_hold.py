"""Asking once before a queue or a destination is paused or resumed, and saying afterwards what that did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.errors import UnknownTarget
from jobs.flow.pause import Paused, Resumed, pause, resume
from jobs.models import Pause
from jobs.spans import seen_from

_KINDS: dict[str, str | Promise] = {
    Pause.Kind.QUEUE: _("queue %(name)s"),
    Pause.Kind.DESTINATION: _("provider %(name)s"),
}


@dataclass(frozen=True)
class HoldVerb:
    """Pause or resume. asks: with ``%(what)s``. what_happens: by kind of what it is done to."""

    name: str
    permission: str
    button: str | Promise
    asks: str | Promise
    what_happens: dict[str, str | Promise]
    change: Callable[..., Paused | Resumed]


PAUSE = HoldVerb(
    name="pause",
    permission="jobs.pause_queue",
    button=_("Pause"),
    asks=_("Pause %(what)s?"),
    what_happens={
        Pause.Kind.QUEUE: _(
            "Its jobs wait until somebody resumes it, and so do all that come. What is running ends; what the workers "
            "hold and have not started is taken back. Fans can go on buying: what they wait for comes later."
        ),
        Pause.Kind.DESTINATION: _(
            "The jobs that call it wait until somebody resumes it, whatever queue they are in, and all others go on. "
            "What is running ends; what the workers hold and have not started is taken back."
        ),
    },
    change=pause,
)
RESUME = HoldVerb(
    name="resume",
    permission="jobs.pause_queue",
    button=_("Resume"),
    asks=_("Resume %(what)s?"),
    what_happens={
        Pause.Kind.QUEUE: _("Its jobs start again, the most urgent first, as fast as its workers take them."),
        Pause.Kind.DESTINATION: _(
            "Its jobs start again, as many at once as its share allows. If it is taken for away, it is tried at once."
        ),
    },
    change=resume,
)


def confirm(page: admin.ModelAdmin, request: HttpRequest, verb: HoldVerb) -> HttpResponse:
    """Ask (GET), or do it and say what was done (POST)."""
    if not request.user.has_perm(verb.permission):
        raise PermissionDenied
    typed = request.POST if request.method == "POST" else request.GET
    kind, name = typed.get("kind", ""), typed.get("name", "")
    if kind not in Pause.Kind.values or not name or "\x00" in name:
        raise Http404
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _ask(page, request, verb, kind, name, form)
    by, reason = request.user.get_username(), form.cleaned_data["reason"]
    try:
        found = verb.change(kind=kind, name=name, by=by, reason=reason)
    except UnknownTarget as refusal:
        page.message_user(request, str(refusal), messages.ERROR)
    else:
        _say(page, request, found, kind, name)
    return HttpResponseRedirect(reverse("admin:jobs_queueload_changelist"))


def _what(kind: str, name: str) -> str:
    return str(_KINDS[Pause.Kind(kind)]) % {"name": name}


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, verb: HoldVerb, kind: str, name: str, form: ReasonForm
) -> HttpResponse:
    paused = Pause.objects.filter(kind=kind, name=name).first()
    context = {
        **page.admin_site.each_context(request),
        "title": verb.asks % {"what": _what(kind, name)},
        "opts": page.opts,
        "media": page.media,
        "verb": verb,
        "what_happens": verb.what_happens[Pause.Kind(kind)],
        "kind": kind,
        "name": name,
        "paused": paused,
        "paused_when": seen_from(paused.at, database_now()) if paused else "",
        "form": form,
        "action": reverse(f"admin:jobs_queueload_{verb.name}"),
    }
    return TemplateResponse(request, "admin/jobs/confirm_hold.html", context)


def _say(page: admin.ModelAdmin, request: HttpRequest, found: Paused | Resumed, kind: str, name: str) -> None:
    what = _what(kind, name)
    what = what[0].upper() + what[1:]
    if isinstance(found, Paused):
        words = gettext("%(what)s is paused. Jobs that are due and wait: %(waiting)d, still running: %(running)d.")
        told = words % {"what": what, "waiting": found.waiting, "running": found.running}
        idle = gettext("%(what)s was paused already; nothing was changed.") % {"what": what}
        did_something = found.changed
    else:
        words = gettext("%(what)s is resumed. Jobs that are due: %(waiting)d.")
        told = words % {"what": what, "waiting": found.waiting}
        idle = gettext("%(what)s was not paused; nothing was changed.") % {"what": what}
        did_something = found.changed or found.probes
    if not did_something:
        page.message_user(request, idle, messages.WARNING)
        return
    address = f"{reverse('admin:jobs_job_changelist')}?{urlencode({kind: name})}"
    link = format_html(' <a href="{}">{}</a>', address, gettext("Its jobs"))
    may_see = request.user.has_perm("jobs.view_job")
    page.message_user(request, format_html("{}{}", told, link if may_see else ""), messages.SUCCESS)
