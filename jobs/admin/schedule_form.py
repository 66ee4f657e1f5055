"""What staff type on the page of a schedule: only what means something to the ledger.

When it is due is typed here, in one of three ways. The rows of intervals and crontabs, which schedules share, are found
or made when it is saved: nobody changes another schedule by accident.
"""

from __future__ import annotations

import json
from datetime import timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.conf import settings
from django.contrib.admin.widgets import AdminSplitDateTime
from django.db import DataError, connection, models, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.clock import database_now
from jobs.dead.fit import why_not
from jobs.errors import JobsError
from jobs.models import Schedule
from jobs.schedules.occurrences import cron_fields, next_after, timing_of

UNITS = [
    (IntervalSchedule.SECONDS, gettext_lazy("seconds")),
    (IntervalSchedule.MINUTES, gettext_lazy("minutes")),
    (IntervalSchedule.HOURS, gettext_lazy("hours")),
    (IntervalSchedule.DAYS, gettext_lazy("days")),
]
CRON = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
MOST_UNITS = 100_000


class ScheduleForm(forms.ModelForm):
    """A periodic task with its timing and its catch-up rule."""

    task = forms.ChoiceField(label=gettext_lazy("Task"))
    every = forms.IntegerField(label=gettext_lazy("Every"), required=False, min_value=1, max_value=MOST_UNITS)
    unit = forms.ChoiceField(label=gettext_lazy("Unit"), required=False, choices=UNITS)
    cron = forms.CharField(
        label=gettext_lazy("By the clock"),
        required=False,
        max_length=200,
        help_text=gettext_lazy(
            "Minute, hour, day, month, day of the week: “30 2 * * *” is 02:30 each day, “0 9 * * 1-5” is 09:00 from "
            "Monday to Friday. All five must match."
        ),
    )
    zone = forms.ChoiceField(label=gettext_lazy("Time zone of the clock"), required=False)
    once_at = forms.SplitDateTimeField(
        label=gettext_lazy("Once, at"), required=False, widget=AdminSplitDateTime, help_text=gettext_lazy("In UTC.")
    )
    catch_up = forms.ChoiceField(
        label=gettext_lazy("Runs that were missed"),
        choices=Schedule.CatchUp.choices,
        help_text=gettext_lazy("What is done about due times at which no scheduler was running."),
    )
    kwargs = forms.CharField(
        label=gettext_lazy("Arguments"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField code", "spellcheck": "false"}),
        help_text=gettext_lazy(
            'A JSON object of names and values. The value "&lt;due at&gt;" stands for the time that the run is due at.'
        ),
    )
    priority = forms.IntegerField(
        label=gettext_lazy("Priority"),
        required=False,
        min_value=0,
        max_value=9,
        help_text=gettext_lazy("0 is the most urgent, 9 the least. Empty: that of its queue."),
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = PeriodicTask
        fields = ("name", "description", "task", "enabled", "one_off", "start_time", "expires", "kwargs", "priority")
        labels = {
            "name": gettext_lazy("Name"),
            "description": gettext_lazy("What it is for"),
            "enabled": gettext_lazy("Enabled"),
            "one_off": gettext_lazy("Only once"),
            "start_time": gettext_lazy("Not before"),
            "expires": gettext_lazy("Ends"),
        }
        help_texts = {
            "name": gettext_lazy("Its jobs are about schedule:NAME."),
            "one_off": gettext_lazy("It is disabled when it has run."),
            "start_time": gettext_lazy("In UTC. An interval is counted from here."),
            "expires": gettext_lazy("In UTC. Nothing is due from then on."),
            "enabled": "",
            "description": "",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        task: PeriodicTask = self.instance
        fields = self.fields
        names = sorted({*settings.LEDGER_TASKS, *([task.task] if task.task else [])})
        fields["task"].choices = [("", "---------"), *((name, name) for name in names)]  # type: ignore[attr-defined]
        fields["zone"].choices = _zones()  # type: ignore[attr-defined]
        if "description" in fields:
            fields["description"].widget.attrs["rows"] = 2
        for name, value in (_as_typed(task) | {"seen": _version(task)}).items():
            self.initial.setdefault(name, value)

    def clean_seen(self) -> str:
        """What was saved, by somebody else or by its only run, since this page was opened is not written over."""
        seen: str = self.cleaned_data["seen"]
        if self.instance.pk is not None and seen and seen != _version(self.instance):
            raise forms.ValidationError(_("It was changed since you opened this page. Open it again and look first."))
        return seen

    def clean_kwargs(self) -> str:
        text: str = self.cleaned_data["kwargs"].strip() or "{}"
        try:
            if not isinstance(json.loads(text), dict):
                raise ValueError
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT %s::jsonb", [text])  # who keeps it decides what can be kept
        except (ValueError, RecursionError, DataError):
            raise forms.ValidationError(_('This is no JSON object: {"name": "value"}.')) from None
        return text

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "seen" in self.errors:
            self.add_error(None, self.errors.pop("seen"))
        self._check_arguments(cleaned)
        self._set_timing(cleaned)
        return cleaned

    def _check_arguments(self, cleaned: dict[str, Any]) -> None:
        task = cleaned.get("task")
        if not task or "kwargs" not in cleaned:
            return
        if task not in settings.LEDGER_TASKS:
            self.add_error("task", _("No app here has the task %(task)s.") % {"task": task})
            return
        why = why_not(task=task, queue=settings.LEDGER_TASKS[task], names=list(json.loads(cleaned["kwargs"])))
        if why:
            self.add_error("kwargs", why)

    def _set_timing(self, cleaned: dict[str, Any]) -> None:
        """Put the one way that was typed into the instance, unsaved."""
        if {"every", "cron", "once_at"} & self.errors.keys():
            return
        typed = [name for name in ("every", "cron", "once_at") if cleaned.get(name)]
        if len(typed) != 1:
            self._refuse_timing(typed)
            return
        task: PeriodicTask = self.instance
        task.interval = task.crontab = task.clocked = task.solar = None
        (way,) = typed
        if way == "every":
            task.interval = IntervalSchedule(every=cleaned["every"], period=cleaned.get("unit") or UNITS[0][0])
        elif way == "once_at":
            task.clocked = ClockedSchedule(clocked_time=cleaned["once_at"])
            cleaned["one_off"] = True
        elif not self._set_crontab(cleaned):
            return
        self._refuse_what_never_comes(way, cleaned)

    def _set_crontab(self, cleaned: dict[str, Any]) -> bool:
        try:
            fields = cron_fields(cleaned["cron"])
        except JobsError as why:
            self.add_error("cron", str(why))
            return False
        for name, text in fields.items():
            if len(text) > (CrontabSchedule._meta.get_field(name).max_length or 0):
                self.add_error("cron", _("This is longer than a crontab can be."))
                return False
        self.instance.crontab = CrontabSchedule(**fields, timezone=ZoneInfo(cleaned.get("zone") or "UTC"))
        return True

    def _refuse_timing(self, typed: list[str]) -> None:
        if not typed:
            self.add_error("every", _("Say when it is due: every so often, by the clock, or once."))
        for name in typed:
            self.add_error(name, _("Say when it is due in one way only, and leave the others empty."))

    def _refuse_what_never_comes(self, way: str, cleaned: dict[str, Any]) -> None:
        """Of what is enabled; who disables something may leave its past as it is."""
        if not cleaned.get("enabled") or {"start_time", "expires"} & self.errors.keys():
            return
        task: PeriodicTask = self.instance
        bounds = cleaned.get("start_time"), cleaned.get("expires")
        try:
            task.start_time = task.expires = None
            comes = next_after(timing_of(task), database_now())
            task.start_time, task.expires = bounds
            comes_in_time = comes and next_after(timing_of(task), database_now())
        except JobsError as why:
            self.add_error(way, str(why))
            return
        if comes is None:
            past = _("That is past: it would never run.")
            self.add_error(way, past if way == "once_at" else _("Such a day never comes: it would never run."))
        elif comes_in_time is None:
            self.add_error("expires", _("It would never run: nothing is due before this."))

    def validate_unique(self) -> None:
        """The name alone: the timing has been checked, and the library's sentences about it are not for staff."""
        try:
            models.Model.validate_unique(self.instance, exclude=self._get_validation_exclusions())  # type: ignore[attr-defined]
        except forms.ValidationError as error:
            self._update_errors(error)  # type: ignore[attr-defined]


@cache
def _zones() -> list[tuple[str, str]]:
    """All that the machine knows; it looks through hundreds of files for them."""
    return [(zone, zone) for zone in ("UTC", *sorted(available_timezones() - {"UTC", "localtime", "Factory"}))]


def _version(task: PeriodicTask) -> str:
    """Of a row that was read: whether it is still the one that somebody looked at."""
    return f"{task.date_changed.isoformat()} {task.enabled}" if task.pk is not None else ""


def _as_typed(task: PeriodicTask) -> dict[str, Any]:
    """The timing and the rule of a row, as somebody would have typed them."""
    typed: dict[str, Any] = {"zone": "UTC", "unit": IntervalSchedule.SECONDS, "catch_up": Schedule.CatchUp.ONCE}
    if task.interval is not None and task.interval.period in dict(UNITS):
        typed |= {"every": task.interval.every, "unit": task.interval.period}
    elif task.interval is not None and task.interval.period == IntervalSchedule.MICROSECONDS:
        whole = timedelta(**{task.interval.period: task.interval.every}) // timedelta(seconds=1)
        typed |= {"every": whole or None}
    if task.crontab is not None:
        typed |= {
            "cron": " ".join(str(getattr(task.crontab, name)) for name in CRON),
            "zone": str(task.crontab.timezone),
        }
    if task.clocked is not None:
        typed["once_at"] = task.clocked.clocked_time
    if (ledger := getattr(task, "ledger", None)) is not None:
        typed["catch_up"] = ledger.catch_up
    return typed
