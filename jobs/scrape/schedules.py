"""The dead man's switch: does a beat tick, and does each schedule get its runs? Whoever is scraped says so, not beat.

Guarantee: a beat that hangs, was killed or was never started shows here all the same, since only what it wrote counts,
and only by the database's clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from django.db import DEFAULT_DB_ALIAS

from jobs.schedules.ticker import LEASE
from jobs.session import run

MANY = 500
"""Schedules that are told of; staff may make as many as they like, and each is a time series."""

NEVER = math.inf
"""The age of the tick where there never was one."""

# One row. After a clock that was set back the last tick lies in the future, which is no sign of life either.
TICK = """
    SELECT abs(extract(epoch FROM jobs_now() - renewed_at))::float8 FROM jobs_lease WHERE name = %(name)s
"""

# A row for each schedule that is switched on. The last run is one probe of scheduled_run_once_per_due_time, its job one
# of the primary key; a job that ended well two days ago is in the history, and says nothing any more.
SCHEDULES = """
    SELECT task.name,
           greatest(extract(epoch FROM jobs_now() - schedule.next_run_at), 0)::float8,
           (schedule.error <> '')::integer,
           extract(epoch FROM jobs_now() - run.due_at)::float8,
           greatest(extract(epoch FROM coalesce(job.started_at, job.finished_at, jobs_now()) - run.due_at), 0)::float8,
           (job.state = 'dead')::integer,
           job.id IS NOT NULL
      FROM jobs_schedule AS schedule
      JOIN django_celery_beat_periodictask AS task ON task.id = schedule.periodic_task_id
      LEFT JOIN LATERAL (
          SELECT due_at, job_id FROM jobs_scheduledrun WHERE schedule_id = schedule.periodic_task_id
           ORDER BY due_at DESC LIMIT 1
      ) AS run ON true
      LEFT JOIN jobs_job AS job ON job.id = run.job_id
     WHERE task.enabled
     ORDER BY task.id LIMIT %(many)s
"""

Sample = tuple[str, tuple[str, ...], float]


def samples_of_schedules(*, using: str) -> Iterator[Sample]:
    """Name, labels and value of each gauge. Two queries; none but for the default database, which is beat's."""
    if using != DEFAULT_DB_ALIAS:
        return
    ticked = run(using, TICK, {"name": LEASE})
    yield "jobs_scheduler_tick_age_seconds", (), ticked[0][0] if ticked else NEVER
    for name, overdue, broken, age, delay, dead, known in run(using, SCHEDULES, {"many": MANY}):
        yield "jobs_schedule_late_seconds", (name,), overdue or 0.0
        yield "jobs_schedule_broken", (name,), broken
        if age is not None:
            yield "jobs_schedule_last_run_age_seconds", (name,), age
        if known:
            yield "jobs_schedule_last_start_late_seconds", (name,), delay
            yield "jobs_schedule_last_run_dead", (name,), dead
