"""Reading the ledger and its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connections
from django.db.models import QuerySet

from jobs.models import Job, JobHistory, StaffAction

# One statement reads both, so that a job which is moved meanwhile is seen once. Uses job_subject and
# job_history_subject, the latter in each of its partitions.
JOBS_ABOUT = """
    SELECT id, task, queue, state, reason, created_at, available_at, started_at, finished_at,
           attempts, deliveries, generation, worker, error, false
    FROM jobs_job WHERE subject = %(subject)s AND NOT (subject = '')
    UNION ALL
    SELECT id, task, queue, state, reason, created_at, created_at, started_at, finished_at,
           attempts, 0, generation, '', '', true
    FROM jobs_jobhistory WHERE subject = %(subject)s AND NOT (subject = '')
    ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class KnownJob:
    """What is known of a job, whether it is in the ledger or has been removed.

    removed: only its history is left; it has ended, and its error, worker and claims are forgotten.
    """

    pk: int
    task: str
    queue: str
    state: str
    reason: str
    created_at: datetime
    available_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    attempts: int
    deliveries: int
    generation: int
    worker: str
    error: str
    removed: bool


def jobs_about(*, subject: str, using: str = "default") -> list[KnownJob]:
    """The jobs about ``subject`` (``order:ABC``), oldest first, those that were removed included. One query."""
    with connections[using].cursor() as cursor:
        cursor.execute(JOBS_ABOUT, {"subject": subject})
        return [KnownJob(*row) for row in cursor.fetchall()]


def job_or_history(*, job_id: int, using: str = "default") -> Job | JobHistory | None:
    """The job, or what is left of it; None if it never was, or was removed too long ago. One query, two if it is gone.

    The history is read last: a job that is moved between the two is found there.
    """
    job = Job.objects.using(using).filter(pk=job_id).first()
    return job or JobHistory.objects.using(using).filter(pk=job_id).first()


def was_removed(*, job_id: int, task: str | None = None, using: str = "default") -> bool:
    """Whether the job has ended and left the ledger for its history; with ``task``, only if it was one. One query."""
    removed = JobHistory.objects.using(using).filter(pk=job_id)
    return (removed if task is None else removed.filter(task=task)).exists()


def staff_actions_on(*, job_id: int, using: str = "default") -> QuerySet[StaffAction]:
    """What staff did to a job, oldest first, whether or not it has been removed. Uses the index staff_action_job."""
    return StaffAction.objects.using(using).filter(job_id=job_id).order_by("id")
