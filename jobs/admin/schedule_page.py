"""The page of one schedule: what may be changed, when it is due next, and what became of its last runs."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import PeriodicTask

from jobs.admin.confirm_schedules import FROM_ITS_PAGE
from jobs.admin.read_only import SturdyAdmin
from jobs.admin.schedule_form import ScheduleForm
from jobs.admin.schedule_runs import rows_of
from jobs.admin.schedule_verbs import DISABLE, VERBS, may
from jobs.clock import database_now
from jobs.models import Schedule, ScheduledRun
from jobs.redact import for_staff
from jobs.schedules.change import save_schedule
from jobs.schedules.in_words import timing_in_words
from jobs.schedules.install import fields_now
from jobs.schedules.preview import due_times, why_unfit, zone_of
from jobs.schedules.selectors import latest_runs, periodic_tasks
from jobs.schedules.switch import hold_plan

RUNS_SHOWN = 20

PARTS = {
    "task": _("task"),
    "timing": _("when"),
    "catch_up": _("runs that were missed"),
    "args": _("arguments"),
    "priority": _("priority"),
    "why": _("what it is for"),
    "enabled": _("enabled"),
}
"""What the table in config/schedule.py says of a schedule, in staff's words."""


class SchedulePage(SturdyAdmin):
    """The page of a schedule, new or known."""

    form = ScheduleForm
    change_form_template = "admin/jobs/schedule.html"
    delete_confirmation_template = "admin/jobs/delete_schedule.html"
    fieldsets = (
        (None, {"fields": ("name", "description", "enabled", "seen")}),
        (_("What"), {"fields": ("task", "kwargs", "priority")}),
        (
            _("When: one of three"),
            {"fields": (("every", "unit"), ("cron", "zone"), "once_at"), "classes": ("schedule-when",)},
        ),
        (_("And"), {"fields": ("catch_up", "one_off", "start_time", "expires")}),
    )
    to_look_at = (
        (None, {"fields": ("name", "description", "enabled", "task", "given", "priority")}),
        (_("When"), {"fields": ("in_words", "rule", "start_time", "expires")}),
    )

    class Media:
        css = {"all": ("jobs/css/ledger.css", "jobs/css/schedules.css")}

    @admin.display(description=_("arguments"))
    def given(self, task: PeriodicTask) -> SafeString:
        """For who may look and not change: without what is nobody's business."""
        try:
            shown = json.dumps(for_staff(json.loads(task.kwargs or "{}")), indent=2, ensure_ascii=False)
        except ValueError:
            shown = "–"
        return format_html('<pre class="code">{}</pre>', shown)

    @admin.display(description=_("due"))
    def in_words(self, task: PeriodicTask) -> str:
        return timing_in_words(task)

    @admin.display(description=_("runs that were missed"), empty_value="–")
    def rule(self, task: PeriodicTask) -> str | None:
        return task.ledger.get_catch_up_display() if hasattr(task, "ledger") else None

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        may_change = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        return self.fieldsets if may_change else self.to_look_at

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The name of one that comes from a file is what it is known by there: renamed, it would be made again."""
        looks = ("given", "in_words", "rule")
        return (*looks, "name") if _installed(obj) is not None else looks

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """For a change, the row as it is while no beat touches it: saving writes all of its columns."""
        task = super().get_object(request, object_id, from_field)
        if task is None or request.method != "POST" or not connection.in_atomic_block:
            return task
        hold_plan(schedule_id=task.pk)
        PeriodicTask.objects.select_for_update(of=("self",)).filter(pk=task.pk).first()
        return super().get_object(request, object_id, from_field)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        save_schedule(task=obj, catch_up=form.cleaned_data["catch_up"])

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """Django's page, with the buttons, the due times to come and the last runs."""
        context |= {"subtitle": None, "title": obj.name if obj else gettext("New schedule")}
        if obj is not None:
            context |= self._told_of(request, obj)
        return super().render_change_form(request, context, add, change, form_url, obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's question, which says that one from the file comes back."""
        task = self.get_object(request, unquote(object_id))
        context = {
            "listed": _installed(task) is not None,
            "disable": _address_of(DISABLE.name, task) if task and task.enabled and may(request, DISABLE) else "",
        }
        return super().delete_view(request, object_id, {**context, **(extra_context or {})})

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Its name, and how many runs go with it; Django would list each."""
        names = [task.name for task in objs]
        runs = ScheduledRun.objects.filter(schedule__in=[task.pk for task in objs]).count()
        counts = {self.opts.verbose_name_plural: len(names), ScheduledRun._meta.verbose_name_plural: runs}
        return names, counts, set(), []

    def _told_of(self, request: HttpRequest, task: Any) -> dict[str, Any]:
        stored = periodic_tasks().get(pk=task.pk)  # as it is, also where a form that was refused has changed it
        now = database_now()
        runs = latest_runs(schedule_ids=[stored.pk], most=RUNS_SHOWN).get(stored.pk, [])
        schedule: Schedule | None = getattr(stored, "ledger", None)
        return {
            "in_words": timing_in_words(stored),
            "schedule": schedule,
            "error": why_unfit(stored) if stored.enabled else "",
            "is_installed": _installed(stored) is not None,
            "changed_parts": changed_parts(stored),
            "due_times": due_times(stored, now=now) if stored.enabled else [],
            "zone": zone_of(stored).key,
            "runs": rows_of(runs, now=now, with_links=request.user.has_perm("jobs.view_job")),
            "skipped": _skipped(schedule),
            "buttons": [
                (_address_of(verb.name, stored), verb.opens)
                for verb in VERBS
                if may(request, verb) and verb.is_for(stored)
            ],
        }


def changed_parts(task: PeriodicTask) -> list[str]:
    """What staff changed of a schedule that comes from the file, in words; empty for any other."""
    installed = _installed(task)
    if installed is None:
        return []
    now = fields_now(task)
    return [str(words) for part, words in PARTS.items() if now[part] != installed.get(part)]


def _installed(task: Any) -> dict[str, Any] | None:
    schedule: Schedule | None = getattr(task, "ledger", None) if task is not None else None
    return schedule.installed if schedule is not None else None


def _skipped(schedule: Schedule | None) -> str:
    if schedule is None or not schedule.skipped:
        return ""
    words = ngettext("%(n)d due time was left out.", "%(n)d due times were left out.", schedule.skipped)
    return words % {"n": schedule.skipped}


def _address_of(verb: str, task: PeriodicTask) -> str:
    query = urlencode({"schedules": task.pk, "back": FROM_ITS_PAGE})
    return f"{reverse('admin:jobs_schedule_verb', args=[verb])}?{query}"
