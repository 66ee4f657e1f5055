"""Intervals, crontabs and single times, which schedules share: to look at, and to change for all that use them.

The page of a schedule finds or makes what it needs by itself; nobody has to come here.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.admin.read_only import SturdyAdmin
from jobs.admin.schedule_form import CRON, MOST_UNITS, UNITS
from jobs.clock import database_now
from jobs.errors import JobsError
from jobs.schedules.in_words import timing_in_words
from jobs.schedules.occurrences import cron_fields, next_after, timing_of

for model in (ClockedSchedule, CrontabSchedule, IntervalSchedule):
    admin.site.unregister(model)


class IntervalForm(forms.ModelForm):
    """No fractions of a second: each run is a row."""

    every = forms.IntegerField(label=_("Every"), min_value=1, max_value=MOST_UNITS)
    period = forms.ChoiceField(label=_("Unit"), choices=UNITS)


class CrontabForm(forms.ModelForm):
    """Five fields that can be read, and come to a day that there is."""

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            cron_fields(" ".join(str(cleaned[name]).replace(" ", "") for name in CRON))
            row = CrontabSchedule(**{name: cleaned[name] for name in CRON}, timezone=cleaned["timezone"])
            comes = next_after(timing_of(PeriodicTask(crontab=row)), database_now())
        except JobsError as why:
            raise forms.ValidationError(str(why)) from None
        if comes is None:
            raise forms.ValidationError(gettext("Such a day never comes: it would never run."))
        return cleaned


class TimingAdmin(SturdyAdmin):
    """A table of timings, each with the schedules that use it."""

    list_display = ("in_words", "used_by")
    list_display_links = ("in_words",)
    sortable_by = ()
    column = ""
    change_form_template = "admin/jobs/timing.html"
    change_list_template = "admin/jobs/timings.html"

    class Media:
        css = {"all": ("jobs/css/ledger.css", "jobs/css/schedules.css")}

    @admin.display(description=_("when"))
    def in_words(self, row: Any) -> str:
        return timing_in_words(PeriodicTask(**{self.column: row}))

    @admin.display(description=_("schedules"), empty_value="–")
    def used_by(self, row: Any) -> SafeString | None:
        tasks = row.periodictask_set.all()
        page = "admin:django_celery_beat_periodictask_change"
        links = ((reverse(page, args=[task.pk]), task.name) for task in tasks)
        return format_html_join(", ", '<a href="{}">{}</a>', links) if tasks else None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("periodictask_set")

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is in use stays: its schedules would go with it."""
        return super().has_delete_permission(request, obj) and (obj is None or not obj.periodictask_set.exists())

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """Django's page, which names the schedules that change with it."""
        if obj is not None:
            context |= {"title": self.in_words(obj), "subtitle": None, "used_by": self.used_by(obj)}
        return super().render_change_form(request, context, add, change, form_url, obj)


@admin.register(IntervalSchedule)
class IntervalAdmin(TimingAdmin):
    column = "interval"
    form = IntervalForm
    fields = ("every", "period")


@admin.register(CrontabSchedule)
class CrontabAdmin(TimingAdmin):
    column = "crontab"
    form = CrontabForm
    fields = (*CRON, "timezone")


@admin.register(ClockedSchedule)
class ClockedAdmin(TimingAdmin):
    column = "clocked"
    fields = ("clocked_time",)
