"""Reading the ledger."""

from __future__ import annotations

from django.db.models import QuerySet

from jobs.models import Job


def jobs_about(*, subject: str) -> QuerySet[Job]:
    """The jobs about ``subject`` (``order:ABC``), oldest first. Uses the index job_subject."""
    return Job.objects.filter(subject=subject).exclude(subject="").order_by("id")
