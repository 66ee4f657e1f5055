"""What staff may do to a schedule beside changing it: enable it, disable it, let it run now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_celery_beat.models import PeriodicTask

from jobs.admin.schedule_runs import address_of_job
from jobs.errors import JobsError
from jobs.schedules.run_now import run_schedule_now
from jobs.schedules.switch import disable_schedule, enable_schedule


@dataclass(frozen=True)
class Press:
    """One press of a button: by whom, why, and a name by which it is known if its form arrives twice."""

    by: str
    reason: str
    name: str


@dataclass(frozen=True)
class Told:
    """What a press did to one schedule. changed: whether anything."""

    words: SafeString | str
    changed: bool


@dataclass(frozen=True)
class ScheduleVerb:
    """name: part of its address. asks: with ``%(name)s``. change: does it and tells. enabled: of those it is for."""

    name: str
    permission: str
    opens: Any
    button: str | Promise
    asks_one: str | Promise
    asks_many: str | Promise
    what_happens: str | Promise
    change: Callable[[PeriodicTask, Press], Told]
    enabled: bool | None = None

    def is_for(self, task: PeriodicTask) -> bool:
        """Whether its button makes sense for the schedule as it is."""
        return self.enabled is None or task.enabled == self.enabled


def may(request: HttpRequest, verb: ScheduleVerb) -> bool:
    """Whether this user may do it, and see what it is done to."""
    may_see = request.user.has_perm("django_celery_beat.view_periodictask")
    return request.user.has_perm(verb.permission) and (
        may_see or request.user.has_perm("django_celery_beat.change_periodictask")
    )


def _run_now(task: PeriodicTask, press: Press) -> Told:
    try:
        job_id, made = run_schedule_now(schedule_id=task.pk, press=press.name, by=press.by, reason=press.reason)
    except JobsError as refusal:
        return Told(f"“{task.name}”: {refusal}", changed=False)
    words = (
        _("“%(name)s” runs now.") if made else _("“%(name)s” was let run by this press already; nothing was changed.")
    )
    link = format_html('<a href="{}">{}</a>', address_of_job(job_id), _("Job %(id)s") % {"id": job_id})
    return Told(format_html("{} {}", words % {"name": task.name}, link), changed=made)


def _enable(task: PeriodicTask, press: Press) -> Told:
    if enable_schedule(schedule_id=task.pk, by=press.by, reason=press.reason):
        return Told(_("“%(name)s” is enabled.") % {"name": task.name}, changed=True)
    return Told(_("“%(name)s” was enabled already; nothing was changed.") % {"name": task.name}, changed=False)


def _disable(task: PeriodicTask, press: Press) -> Told:
    if disable_schedule(schedule_id=task.pk, by=press.by, reason=press.reason):
        return Told(_("“%(name)s” is disabled.") % {"name": task.name}, changed=True)
    return Told(_("“%(name)s” was disabled already; nothing was changed.") % {"name": task.name}, changed=False)


RUN_NOW = ScheduleVerb(
    name="run-now",
    permission="jobs.run_schedule",
    opens=gettext_lazy("Run now…"),
    button=gettext_lazy("Run now"),
    asks_one=gettext_lazy("Run “%(name)s” now?"),
    asks_many=gettext_lazy("Run %(n)d schedules now?"),
    what_happens=gettext_lazy(
        "One more job is made, due at once, also of what is disabled. What is due by its plan comes all the same."
    ),
    change=_run_now,
)
ENABLE = ScheduleVerb(
    name="enable",
    permission="django_celery_beat.change_periodictask",
    opens=gettext_lazy("Enable…"),
    button=gettext_lazy("Enable"),
    asks_one=gettext_lazy("Enable “%(name)s”?"),
    asks_many=gettext_lazy("Enable %(n)d schedules?"),
    what_happens=gettext_lazy("It is planned from now on. What would have been due meanwhile is not made up for."),
    change=_enable,
    enabled=False,
)
DISABLE = ScheduleVerb(
    name="disable",
    permission="django_celery_beat.change_periodictask",
    opens=gettext_lazy("Disable…"),
    button=gettext_lazy("Disable"),
    asks_one=gettext_lazy("Disable “%(name)s”?"),
    asks_many=gettext_lazy("Disable %(n)d schedules?"),
    what_happens=gettext_lazy(
        "Nobody does its work until it is enabled again, and what would have been due meanwhile is not made up for. "
        "Its jobs that are in the ledger already run. A deploy does not enable it."
    ),
    change=_disable,
    enabled=True,
)

VERBS = (RUN_NOW, ENABLE, DISABLE)
