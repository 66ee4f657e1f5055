"""Sentry's cron monitors: each end of a periodic job's run is a check-in, once it is committed.

A retry is no end. A monitor follows the schedule as staff have it: where a check-in fails to come, or says that the job
is dead, Sentry makes an issue of it. Without a DSN nothing is asked of the database.

Guarantee: no job waits for Sentry, and none fails over it. A check-in names the schedule, its timing, the outcome and
how long the run took, and nothing else.
"""

from __future__ import annotations

import hashlib
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import sentry_sdk
import structlog
from django.conf import settings
from django.utils.text import slugify
from sentry_sdk.crons import MonitorStatus, capture_checkin

from jobs.queues import queue_named
from jobs.schedules.subject import subject_of
from jobs.session import run

if TYPE_CHECKING:
    from sentry_sdk._types import MonitorConfig

log = structlog.get_logger(__name__)

SUBJECT = subject_of("")

LONGEST_SLUG = 50
"""Sentry's bound."""

MARGIN_MINUTES = 10
"""How long after its time a run must have ended: another beat has taken over by then, a worker has been started anew,
and the run has used its hard limit."""

# A run that has ended, with the timing of its schedule. Sentry knows whole minutes, so that of a schedule which runs
# several times a minute the first run of each is told of; by scheduled_run_once_per_due_time, the rest by unique keys.
ENDED = """
    SELECT task.id, task.name, job.task, job.state,
           extract(epoch FROM job.finished_at - job.started_at)::float8,
           concat_ws(' ', cron.minute, cron.hour, cron.day_of_month, cron.month_of_year, cron.day_of_week),
           cron.timezone, every.every, every.period,
           EXISTS (
               SELECT FROM jobs_scheduledrun AS earlier
                WHERE earlier.schedule_id = task.id AND earlier.due_at < own.due_at
                  AND earlier.due_at >= date_trunc('minute', own.due_at)
           )
      FROM jobs_job AS job
      JOIN django_celery_beat_periodictask AS task ON task.name = substr(job.subject, length(%(subject)s) + 1)
      LEFT JOIN django_celery_beat_crontabschedule AS cron ON cron.id = task.crontab_id
      LEFT JOIN django_celery_beat_intervalschedule AS every ON every.id = task.interval_id
      LEFT JOIN LATERAL (
          SELECT min(due_at) AS due_at FROM jobs_scheduledrun
           WHERE schedule_id = task.id AND job_id = job.id AND due_at > jobs_now() - interval '1 hour'
      ) AS own ON true
     WHERE job.id = %(id)s AND starts_with(job.subject, %(subject)s) AND job.state || '' IN ('done', 'dead')
       AND job.token = coalesce(%(token)s::bigint, job.token)
"""


def check_in(*, job_id: int, using: str, subject: str | None = None, token: int | None = None) -> None:
    """Tell Sentry how the run ended, if it is one of a schedule and has ended. One query then, none otherwise.

    subject: the job's, where the caller knows it. token: the caller's claim; what another run has ended is its own to
    tell. Call it after the commit. Raises nothing.
    """
    if subject is not None and not subject.startswith(SUBJECT):
        return
    if not sentry_sdk.get_client().is_active():
        return
    try:
        for row in run(using, ENDED, {"id": job_id, "subject": SUBJECT, "token": token}):
            _send(*row)
    except Exception as error:
        log.warning("check_in_failed", job=job_id, error=type(error).__name__)


def _send(
    schedule_id: int,
    name: str,
    task: str,
    state: str,
    seconds: float | None,
    cron: str,
    zone: str | None,
    every: int | None,
    period: str | None,
    is_repeated: bool,
) -> None:
    config: MonitorConfig = {"checkin_margin": MARGIN_MINUTES, "max_runtime": _longest_run_minutes(task)}
    if cron:
        config |= {"schedule": {"type": "crontab", "value": cron}, "timezone": zone or "UTC"}
    elif every is not None and period is not None:
        interval = timedelta(**{period: every})
        if interval < timedelta(minutes=1) and is_repeated and state == "done":
            return
        config["schedule"] = _in_sentrys_units(interval)
    else:
        return  # it runs once, or by the sun: Sentry has no monitor for that
    status = MonitorStatus.OK if state == "done" else MonitorStatus.ERROR
    capture_checkin(slug_of(name, schedule_id), status=status, duration=seconds, monitor_config=config)


def slug_of(name: str, schedule_id: int) -> str:
    """How Sentry calls the monitor of a schedule: its name in small letters, figures and hyphens."""
    slug = slugify(name.replace(".", "-"))
    if not slug or slug.isdecimal():
        return f"schedule-{schedule_id}"
    if len(slug) > LONGEST_SLUG:
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        return f"{slug[: LONGEST_SLUG - 9].rstrip('-_')}-{mark}"
    return slug


def _in_sentrys_units(interval: timedelta) -> Any:
    minutes = max(math.ceil(interval / timedelta(minutes=1)), 1)
    for unit, size in (("day", 24 * 60), ("hour", 60)):
        if minutes % size == 0:
            return {"type": "interval", "value": minutes // size, "unit": unit}
    return {"type": "interval", "value": minutes, "unit": "minute"}


def _longest_run_minutes(task: str) -> int:
    queue = settings.LEDGER_TASKS.get(task)
    return math.ceil(queue_named(queue).hard_limit_seconds / 60) if queue else 1
