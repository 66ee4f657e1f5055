"""A dead job's own page in the admin, and who may see and do what."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from jobs.models import StaffAction
from tests.dead_jobs_pages import LIST, choose, press, seen
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_staff import staff_with
from tests.ledger import job

pytestmark = pytest.mark.django_db

# One job's page


def test_a_dead_job_shows_cause_arguments_traceback_trail_and_both_buttons(staff: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(traceback="Traceback: line 7", generation=1)
    StaffAction.objects.create(
        job_id=dead.pk, action="replay", by="ada", reason="thought it was mended", generation=0, job_error="Busy: later"
    )
    for name in ("admin:jobs_deadjob_change", "admin:jobs_job_change"):
        page = staff.get(reverse(name, args=[dead.pk])).content.decode()
        for words in (
            "It cannot heal by waiting.",
            "ValueError: nobody expected this",
            "&quot;key&quot;: &quot;dead 0&quot;",
            "Traceback: line 7",
            "ada",
            "thought it was mended",
            "Busy: later",
            f'{reverse("admin:jobs_deadjob_replay")}?jobs={dead.pk}%3A1">Replay…</a>',
            f'{reverse("admin:jobs_deadjob_discard")}?jobs={dead.pk}%3A1">Discard…</a>',
        ):
            assert words in page, words


def test_a_job_that_is_not_dead_has_its_trail_and_no_buttons(staff: Client, dead_jobs: DeadJobs) -> None:
    (lively,) = dead_jobs(state="running", generation=1)
    StaffAction.objects.create(job_id=lively.pk, action="replay", by="ada", reason="mended", generation=0)
    page = staff.get(reverse("admin:jobs_deadjob_change", args=[lively.pk]), follow=True).content.decode()
    assert "mended" in page
    assert "Replay…" not in page


def test_no_page_has_a_script_or_style_of_its_own(staff: Client, dead_jobs: DeadJobs) -> None:
    dead = dead_jobs(2)
    pages = [
        staff.get(reverse(LIST)).content.decode(),
        staff.get(reverse("admin:jobs_deadjob_change", args=[dead[0].pk])).content.decode(),
        choose(staff, "replay_selected", *dead),
        choose(staff, "discard_selected", *dead),
    ]
    for page in pages:
        assert "jobs/css/ledger.css" in page
        assert "<style" not in page
        assert " style=" not in page
        assert "<script>" not in page
        assert " onclick=" not in page


def test_an_error_with_markup_is_text(staff: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(error="ValueError: <script>alert(1)</script>", traceback="<script>", args={"x": "<script>"})
    for address in (
        reverse(LIST),
        reverse("admin:jobs_deadjob_change", args=[dead.pk]),
        f"{reverse('admin:jobs_deadjob_discard')}?jobs={seen(dead)}",
    ):
        assert "<script>alert" not in staff.get(address).content.decode()


# Who may


def test_who_may_only_look_sees_no_button_and_no_action(client: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    looker = staff_with(client, "view_deadjob", "view_job")
    assert "replay_selected" not in looker.get(reverse(LIST)).content.decode()
    assert "Replay…" not in looker.get(reverse("admin:jobs_deadjob_change", args=[dead.pk])).content.decode()
    for verb in ("replay", "discard"):
        url = reverse(f"admin:jobs_deadjob_{verb}")
        assert looker.get(url, {"jobs": seen(dead)}).status_code == 403
        assert looker.post(url, {"jobs": seen(dead), "reason": "why"}).status_code == 403
    assert job(dead.pk).state == "dead"


def test_who_may_replay_need_not_be_allowed_to_discard(client: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    replayer = staff_with(client, "view_deadjob", "view_job", "replay_job")
    listing = replayer.get(reverse(LIST)).content.decode()
    assert "replay_selected" in listing
    assert "discard_selected" not in listing
    assert replayer.post(reverse("admin:jobs_deadjob_discard"), {"jobs": seen(dead), "reason": "x"}).status_code == 403
    assert "1 job was replayed." in press(replayer, "replay", dead)


def test_who_may_not_see_all_jobs_gets_no_link_to_them(client: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    (unfit,) = dead_jobs(queue="elsewhere")
    replayer = staff_with(client, "view_deadjob", "replay_job")
    asks = replayer.get(reverse("admin:jobs_deadjob_replay"), {"jobs": seen(unfit)}).content.decode()
    assert reverse("admin:jobs_deadjob_change", args=[unfit.pk]) in asks
    said = press(replayer, "replay", dead)
    assert "1 job was replayed." in said
    assert reverse("admin:jobs_job_change", args=[dead.pk]) not in said


def test_who_is_not_staff_is_sent_to_the_login(client: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    response = client.post(reverse("admin:jobs_deadjob_replay"), {"jobs": seen(dead), "reason": "why"})
    assert (response.status_code, job(dead.pk).state) == (302, "dead")
