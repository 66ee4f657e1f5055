"""Dead jobs by cause in the admin: what is shown, what would be done, and that pressing twice begins one run."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from jobs.models import DeadRun, Job
from tests.fixtures_dead_jobs import DeadJobs

pytestmark = pytest.mark.django_db

GROUPS, REPLAY, DISCARD = (f"admin:jobs_deadjob_{name}" for name in ("groups", "replay_all", "discard_all"))
SEATS = {"cause": "KeyError: 'seat #'"}


def shown(client: Client, page: str, **asked: str) -> str:
    return re.sub(r"\s+", " ", client.get(reverse(page), asked).content.decode())


def test_what_died_of_the_same_stands_in_one_line_with_its_number_and_orders(
    staff: Client, dead_jobs: DeadJobs
) -> None:
    for number in range(5):
        dead_jobs(2, error=f"KeyError: 'seat {number}'", subject=f"order:ABC{number}")
    dead_jobs(1, error="", reason="crash loop", generation=3)
    first, second = staff.get(reverse(GROUPS)).context["rows"]
    assert (first.cause, first.group.count, first.group.subjects) == ("KeyError: 'seat #'", 10, 5)
    assert first.subjects == ["order:ABC4", "order:ABC3", "order:ABC2"]
    assert first.more_subjects == 2
    assert (second.cause, second.group.quarantined) == ("crash loop", 1)
    listed = staff.get(first.listed).context["cl"].result_list
    assert len(listed) == 10


def test_on_a_good_day_the_page_says_so(staff: Client) -> None:
    page = shown(staff, GROUPS)
    assert "No dead jobs." in page
    assert "Part of the error" not in page


def test_a_dry_run_tells_what_would_be_replayed_left_out_and_refused_and_changes_nothing(
    staff: Client, dead_jobs: DeadJobs
) -> None:
    dead_jobs(4, error="KeyError: 'seat 1'")
    dead_jobs(2, error="KeyError: 'seat 1'", generation=3)
    dead_jobs(3, error="KeyError: 'seat 1'", args={"colour": "red"})
    dead_jobs(5)
    page = shown(staff, REPLAY, **SEATS)
    assert "<strong>4</strong> jobs would be replayed." in page
    assert "<strong>2</strong> are in quarantine and left out" in page
    assert "<strong>3</strong> of probe.leave_a_mark would be refused" in page
    assert "manage.py replay_dlq --cause &#x27;KeyError: &#x27;" in page
    assert Job.objects.filter(state="dead").count() == 14
    assert not DeadRun.objects.exists()


def test_pressing_twice_begins_one_run_and_leads_to_its_page(staff: Client, dead_jobs: DeadJobs) -> None:
    dead_jobs(4, error="KeyError: 'seat 1'")
    typed = {**SEATS, "reason": "mended", "rate": "2", "limit": "3", "number": str(uuid4())}
    first = staff.post(reverse(REPLAY), typed, follow=True)
    again = staff.post(reverse(REPLAY), typed, follow=True)
    run = DeadRun.objects.get()
    assert (run.total, run.rate, run.by, run.reason) == (3, 2.0, "operator", "mended")
    assert (
        first.redirect_chain[-1][0] == again.redirect_chain[-1][0] == reverse("admin:jobs_deadjob_run", args=[run.pk])
    )
    assert "This had begun already" in again.content.decode()
    assert Job.objects.filter(task="jobs.go_on_with_dead_run").count() == 1

    stop = reverse("admin:jobs_deadjob_stop_run", args=[run.pk])
    assert "It was stopped." in staff.post(stop, follow=True).content.decode()
    assert "It had ended before." in staff.post(stop, follow=True).content.decode()


@pytest.mark.parametrize("page", [REPLAY, DISCARD])
def test_without_a_reason_nothing_begins(staff: Client, dead_jobs: DeadJobs, page: str) -> None:
    dead_jobs()
    answer = staff.post(reverse(page), {"reason": " ", "number": str(uuid4())})
    assert "This field is required." in answer.content.decode()
    assert not DeadRun.objects.exists()


@pytest.mark.parametrize("typed", [{"since": "yesterday"}, {"queue": "nowhere"}, {"task": "x" * 301}])
def test_an_option_that_was_mistyped_does_not_choose_everything(
    staff: Client, dead_jobs: DeadJobs, typed: dict[str, str]
) -> None:
    dead_jobs(3)
    answer = staff.post(reverse(DISCARD), {**typed, "reason": "mended", "number": str(uuid4())})
    assert answer.status_code == 302
    assert not DeadRun.objects.exists()
