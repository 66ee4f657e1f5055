"""Asking once before schedules are enabled, disabled or let run now, and saying afterwards what was done.

The page carries a name for its press, made when it was asked for: however often its form arrives, it is done once.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django_celery_beat.models import PeriodicTask

from jobs.admin.reason_form import ReasonForm
from jobs.admin.schedule_verbs import Press, ScheduleVerb, may
from jobs.schedules.in_words import purpose_in_words, timing_in_words
from jobs.schedules.selectors import periodic_tasks

MAX_AT_ONCE = 100
FROM_ITS_PAGE = "schedule"


def ask_about(page: admin.ModelAdmin, request: HttpRequest, ids: Sequence[int], verb: ScheduleVerb) -> HttpResponse:
    """The page that asks about those that were ticked in the list."""
    return _ask(page, request, verb, _read(ids), ReasonForm(), press=str(uuid4()), back="")


def confirm(page: admin.ModelAdmin, request: HttpRequest, verb: ScheduleVerb) -> HttpResponse:
    """Ask (GET), or do it and say what was done (POST)."""
    if not may(request, verb):
        raise PermissionDenied
    typed = request.POST if request.method == "POST" else request.GET
    given = typed.get("schedules", "").split(",")[:MAX_AT_ONCE]
    tasks = _read([int(each) for each in given if each.isdecimal() and len(each) < 10])
    back, press = typed.get("back", ""), _known(typed.get("press", ""))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _ask(page, request, verb, tasks, form, press=press, back=back)
    pressed = Press(by=request.user.get_username(), reason=form.cleaned_data["reason"], name=press)
    for task in tasks:
        told = verb.change(task, pressed)
        page.message_user(request, told.words, messages.SUCCESS if told.changed else messages.WARNING)
    return _back(tasks, back)


def _read(ids: Sequence[int]) -> list[PeriodicTask]:
    return list(periodic_tasks().filter(pk__in=ids).order_by("name"))


def _known(press: str) -> str:
    try:
        return str(UUID(press))
    except ValueError:
        return str(uuid4())


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    verb: ScheduleVerb,
    tasks: list[PeriodicTask],
    form: ReasonForm,
    *,
    press: str,
    back: str,
) -> HttpResponse:
    if not tasks:
        page.message_user(
            request, gettext("There is no such schedule any more; nothing was changed."), messages.WARNING
        )
        return _back(tasks, "")
    alone = tasks[0] if len(tasks) == 1 else None
    context = {
        **page.admin_site.each_context(request),
        "title": verb.asks_one % {"name": alone.name} if alone else verb.asks_many % {"n": len(tasks)},
        "opts": page.opts,
        "media": page.media,
        "verb": verb,
        "alone": alone,
        "schedules": [(task, timing_in_words(task), purpose_in_words(task)) for task in tasks],
        "ids": ",".join(str(task.pk) for task in tasks),
        "form": form,
        "press": press,
        "back": back,
        "back_url": _back(tasks, back).url,
        "action": reverse("admin:jobs_schedule_verb", args=[verb.name]),
    }
    return TemplateResponse(request, "admin/jobs/confirm_schedules.html", context)


def _back(tasks: Sequence[PeriodicTask], back: str) -> HttpResponseRedirect:
    if back == FROM_ITS_PAGE and len(tasks) == 1:
        return HttpResponseRedirect(reverse("admin:django_celery_beat_periodictask_change", args=[tasks[0].pk]))
    return HttpResponseRedirect(reverse("admin:django_celery_beat_periodictask_changelist"))
