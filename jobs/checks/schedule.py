"""The table of periodic jobs: each names a task that can take its arguments, and a time that comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from jobs.checks.signatures import body_of, takes
from jobs.errors import UnfitSchedule
from jobs.periodic import Periodic, all_periodic
from jobs.schedules.timing import cron_fields

TABLE = "See config/schedule.py."


@register(Tags.compatibility)
def check_schedule(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Whatever beat would write into its tables can be run."""
    current_app.autodiscover_tasks(force=True)
    return [*_listed_twice(), *(problem for periodic in all_periodic() for problem in _problems(periodic))]


def _listed_twice() -> Iterator[CheckMessage]:
    for name, times in Counter(periodic.name for periodic in all_periodic()).items():
        if times > 1 or not name:
            yield Error(f"The periodic job “{name}” is listed twice, or has no name.", hint=TABLE, id="jobs.E080")


def _problems(periodic: Periodic) -> Iterator[CheckMessage]:
    if periodic.task not in settings.LEDGER_TASKS:
        yield Error(
            f"The periodic job {periodic.name} names {periodic.task}, which has no queue.",
            hint="List the task in config/routes.py.",
            id="jobs.E081",
        )
    task = current_app.tasks.get(periodic.task)
    if task is not None and not takes(body_of(task), periodic.args):
        yield Error(
            f"{periodic.task} cannot take the arguments of the periodic job {periodic.name}; each run would be dead.",
            hint=TABLE,
            id="jobs.E082",
        )
    if periodic.cron:
        try:
            cron_fields(periodic.cron)
        except UnfitSchedule as why:
            yield Error(f"The periodic job {periodic.name}: {why}", hint=TABLE, id="jobs.E083")
