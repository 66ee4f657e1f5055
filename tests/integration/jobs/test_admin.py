"""The ledger as staff and the command line see it: read-only, and in words."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from jobs.models import Job

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def one_job(**given: object) -> Job:
    return Job.objects.create(
        **{"task": "boxoffice.send_message", "queue": "messages", "subject": "order:ABCD2345", "available_at": NOON}
        | given
    )


def test_staff_see_why_and_until_when_a_job_waits_and_cannot_change_it(admin_client: Client) -> None:
    job = one_job(reason="will be tried again", attempts=3)

    listing = admin_client.get(reverse("admin:jobs_job_changelist"), {"q": "order:ABCD2345"}).content.decode()

    assert '<span class="chip waiting">waiting</span><br>will be tried again' in listing
    assert 'due <span class="nowrap">2026-12-01 12:00:00</span>' in listing
    assert admin_client.post(reverse("admin:jobs_job_change", args=[job.pk]), {"state": "done"}).status_code == 403


def test_jobs_about_a_subject_name_failures_and_claims_where_there_are_some(db: None) -> None:
    quiet = one_job(task="tickets.issue_tickets", state="done")
    busy = one_job(state="running", worker="celery@h pid 7", attempts=1, deliveries=2, error="Busy: later")
    out = StringIO()

    call_command("jobs_about", "order:ABCD2345", stdout=out)

    assert out.getvalue().splitlines() == [
        f"#{quiet.pk}  tickets.issue_tickets  done",
        f"#{busy.pk}  boxoffice.send_message  running  by celery@h pid 7  failed attempts: 1  claims: 2  Busy: later",
    ]
