"""Staff find a job that was removed, from wherever they come, and see what is kept of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from jobs.history.retire import Retirement
from jobs.models import Job, StaffAction

LISTING = "/admin/jobs/jobhistory/"


@pytest.fixture
def removed(ended: Callable[..., Job]) -> Job:
    """A job that staff cancelled, and that has left the ledger."""
    job = ended(state="cancelled", reason="by staff: asked for twice")
    StaffAction.objects.create(job_id=job.pk, action="cancel", by="Ada", reason="asked for twice")
    Retirement().retire_batch()
    return job


@pytest.mark.parametrize("list_name", ["job", "deadjob", "jobhistory"])
def test_a_link_to_a_job_leads_to_its_history_when_it_was_removed(
    admin_client: Client, removed: Job, list_name: str
) -> None:
    page = admin_client.get(reverse(f"admin:jobs_{list_name}_change", args=[removed.pk]), follow=True)
    assert page.status_code == 200
    html = page.content.decode()
    assert all(words in html for words in ("probe.leave_a_mark", "asked for twice", "Ada"))


@pytest.mark.parametrize("by", ["number", "subject"])
def test_a_removed_job_is_found_by_its_number_or_subject_without_reading_all_of_them(
    admin_client: Client, removed: Job, ended: Callable[..., Job], by: str
) -> None:
    ended(subject="order:OTHER234")
    Retirement().retire_batch()
    term = {"number": str(removed.pk), "subject": removed.subject}[by]
    with CaptureQueriesContext(connection) as queries:
        page = admin_client.get(LISTING, {"q": f" {term} "})
    assert [job.pk for job in page.context["cl"].result_list] == [removed.pk]
    assert not any("UPPER" in query["sql"] for query in queries if "jobs_jobhistory" in query["sql"])


@pytest.mark.parametrize("term", ["9" * 30, "nothing like it", "' OR 1=1 --", "٣"])
def test_what_cannot_be_found_is_not_found(admin_client: Client, removed: Job, term: str) -> None:
    assert not admin_client.get(LISTING, {"q": term}).context["cl"].result_list


def test_a_removed_job_cannot_be_changed_or_deleted(admin_client: Client, removed: Job) -> None:
    address = reverse("admin:jobs_jobhistory_change", args=[removed.pk])
    assert admin_client.post(address, {"state": "done"}).status_code == 403
    assert admin_client.post(reverse("admin:jobs_jobhistory_delete", args=[removed.pk])).status_code == 403


def test_whoever_reads_german_reads_no_english_names_of_columns(admin_client: Client, removed: Job) -> None:
    german = {"Accept-Language": "de"}
    page = admin_client.get(reverse("admin:jobs_jobhistory_change", args=[removed.pk]), headers=german).content.decode()
    listed = admin_client.get(LISTING, headers=german).content.decode()
    assert all(word in page for word in ("Aufgabe:", "Versuche:", "Warteschlange:"))
    assert not any(word in page for word in ("Task:", "Attempts:", "Generation:", "Queue:"))
    assert "Betreff" in listed
    assert "Subject" not in listed
