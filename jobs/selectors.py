"""Reading the ledger."""

from __future__ import annotations

from django.db.models import QuerySet

from jobs.models import Job, StaffAction


def jobs_about(*, subject: str) -> QuerySet[Job]:
    """The jobs about ``subject`` (``order:ABC``), oldest first. Uses the index job_subject."""
    return Job.objects.filter(subject=subject).exclude(subject="").order_by("id")


def staff_actions_on(*, job_id: int, using: str = "default") -> QuerySet[StaffAction]:
    """What staff did to a job, oldest first. Uses the index staff_action_job."""
    return StaffAction.objects.using(using).filter(job_id=job_id).order_by("id")
