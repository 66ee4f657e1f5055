"""The schedules: what is late or broken first, and what became of each one's last run.

In place of django-celery-beat's own pages, which offer what means nothing to the ledger and send messages past it.
"""

from __future__ import annotations

from typing import Any

import django_celery_beat.admin  # noqa: F401 - it registers its pages, which go away below
from django.contrib import admin, messages
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import PeriodicTask, SolarSchedule

from jobs.admin.confirm_schedules import MAX_AT_ONCE, ask_about, confirm
from jobs.admin.moments import relatively
from jobs.admin.schedule_page import SchedulePage
from jobs.admin.schedule_runs import late_in_words, outcome
from jobs.admin.schedule_verbs import DISABLE, ENABLE, RUN_NOW, VERBS, ScheduleVerb, may
from jobs.admin.subjects import link_subjects
from jobs.clock import database_now
from jobs.models import Schedule
from jobs.schedules.in_words import purpose_in_words, timing_in_words
from jobs.schedules.preview import why_unfit
from jobs.schedules.rows import Unreadable, read_rows
from jobs.schedules.selectors import LATE_SECONDS, Run, latest_runs, periodic_tasks

MISSED = {
    Schedule.CatchUp.SKIP: _("what was missed is left out"),
    Schedule.CatchUp.ONCE: _("what was missed is made up for once"),
    Schedule.CatchUp.ALL: _("what was missed is all made up for"),
}

admin.site.unregister(PeriodicTask)
admin.site.unregister(SolarSchedule)  # the ledger refuses them


@admin.register(PeriodicTask)
class ScheduleAdmin(SchedulePage):
    list_display = ("called", "due", "next_run", "last_run")
    list_display_links = None
    search_fields = ("name", "task", "description")
    sortable_by = ()
    list_per_page = 100
    actions = ("run_selected_now", "enable_selected", "disable_selected")
    change_list_template = "admin/jobs/schedules.html"

    @admin.display(description=_("schedule"))
    def called(self, task: PeriodicTask) -> SafeString:
        """Its name, what it is for, and why no job can be made of it, if so."""
        address = reverse("admin:django_celery_beat_periodictask_change", args=[task.pk])
        words = format_html(
            '<a class="name" href="{}">{}</a><span class="quiet">{}</span>', address, task.name, purpose_in_words(task)
        )
        error = task.ledger.error if hasattr(task, "ledger") else ""
        if not error:
            return words
        chip, why = gettext("cannot be enqueued"), why_unfit(task) or error
        return format_html('{}<span class="late"><span class="chip bad">{}</span> {}</span>', words, chip, why)

    @admin.display(description=_("when"))
    def due(self, task: PeriodicTask) -> SafeString:
        """When it is due, and what is done about runs that were missed."""
        rule = MISSED.get(task.ledger.catch_up, "") if hasattr(task, "ledger") else ""
        return format_html('{}<span class="quiet">{}</span>', timing_in_words(task), rule)

    @admin.display(description=_("next run"))
    def next_run(self, task: PeriodicTask) -> SafeString | str:
        label = format_html('<span class="on-phone quiet">{}</span> ', gettext("next run"))
        if not task.enabled:
            return format_html('<span class="chip plain">{}</span>', gettext("disabled"))
        moment = task.ledger.next_run_at if hasattr(task, "ledger") else None
        if moment is None:
            broken = hasattr(task, "ledger") and task.ledger.error
            return format_html("{}{}", label, "–" if broken else gettext("none planned"))
        shown = format_html("{}{}", label, relatively(moment, task.now))
        if (task.now - moment).total_seconds() <= LATE_SECONDS:
            return shown
        chip, why = gettext("late"), gettext("nobody has enqueued it")
        return format_html('{}<span class="late"><span class="chip bad">{}</span> {}</span>', shown, chip, why)

    @admin.display(description=_("last run"))
    def last_run(self, task: PeriodicTask) -> SafeString | str:
        """What became of it, when it was due, and how late it started."""
        run: Run | None = task.latest_run
        label = format_html('<span class="on-phone quiet">{}</span> ', gettext("last run"))
        if run is None:
            return format_html("{}–", label)
        chip, when = outcome(run, with_link=task.may_see_jobs), relatively(run.due_at, task.now)
        return format_html("{}{} {}{}", label, chip, when, late_in_words(run, task.now))

    @admin.action(description=RUN_NOW.opens, permissions=["run_now"])
    def run_selected_now(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> HttpResponse:
        return self._ask(request, queryset, RUN_NOW)

    @admin.action(description=ENABLE.opens, permissions=["change"])
    def enable_selected(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> HttpResponse:
        return self._ask(request, queryset, ENABLE)

    @admin.action(description=DISABLE.opens, permissions=["change"])
    def disable_selected(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> HttpResponse:
        return self._ask(request, queryset, DISABLE)

    def has_run_now_permission(self, request: HttpRequest) -> bool:
        return may(request, RUN_NOW)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """One is deleted on its page, which says what that comes to."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def get_queryset(self, request: HttpRequest) -> QuerySet[PeriodicTask]:
        """All that can be read: a row of which no object can be made must not hide the others (I6)."""
        return periodic_tasks().exclude(pk__in=[row.pk for row in _unreadable(request)])

    def get_ordering(self, request: HttpRequest) -> Any:
        return ("trouble", F("ledger__next_run_at").asc(nulls_last=True), "name")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The page of the list, each schedule with its last run: one query for all."""
        changelist = super().get_changelist_instance(request)
        changelist.result_list = list(changelist.result_list)
        runs = latest_runs(schedule_ids=[task.pk for task in changelist.result_list])
        now, may_see_jobs = database_now(), request.user.has_perm("jobs.view_job")
        for task in changelist.result_list:
            task.latest_run = runs.get(task.pk, [None])[0]
            task.now, task.may_see_jobs = now, may_see_jobs
        return changelist

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.change_by_verb)
        return [path("do/<slug:verb>/", view, name="jobs_schedule_verb"), *super().get_urls()]

    def change_by_verb(self, request: HttpRequest, verb: str) -> HttpResponse:
        """Ask, or do it: see ``confirm_schedules.py``."""
        for known in VERBS:
            if known.name == verb:
                return confirm(self, request, known)
        raise Http404

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        for row in _unreadable(request):
            words = gettext("“%(name)s” is not in this list, since it cannot be read: %(why)s No job is made of it.")
            messages.error(request, words % {"name": row.name, "why": row.why})
        return super().changelist_view(request, {"title": gettext("Schedules"), **(extra_context or {})})

    def _ask(self, request: HttpRequest, queryset: QuerySet[PeriodicTask], verb: ScheduleVerb) -> HttpResponse:
        return ask_about(self, request, list(queryset.values_list("pk", flat=True)[:MAX_AT_ONCE]), verb)


def _unreadable(request: HttpRequest) -> list[Unreadable]:
    """Read once for each request."""
    if "unreadable_schedules" not in request.META:
        request.META["unreadable_schedules"] = read_rows().unreadable
    return request.META["unreadable_schedules"]


def _page_of(request: HttpRequest, name: str) -> str | None:
    """Where staff find the schedule that a job is about."""
    if not request.user.has_perm("django_celery_beat.view_periodictask"):
        return None
    found = PeriodicTask.objects.filter(name=name).values_list("pk", flat=True).first()
    return reverse("admin:django_celery_beat_periodictask_change", args=[found]) if found else None


link_subjects(kind="schedule", address=_page_of)
