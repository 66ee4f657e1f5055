"""The pages of schedules in a browser: one is changed and run, and nothing scrolls sideways, runs or complains."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django_celery_beat.models import PeriodicTask
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from jobs.clock import database_now
from jobs.models import Job, Lease, ScheduledRun
from tests.desk_in_a_browser import PASSWORD, log_in
from tests.fixtures_schedules import MakeRun, MakeSchedule
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.mark.parametrize("width", [375, 1280])
def test_a_schedule_with_long_words_is_changed_and_run_within_the_page(
    width: int, schedules: MakeSchedule, scheduled_run: MakeRun, live_server: LiveServer, visiting: Visiting
) -> None:
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    now = database_now()
    words = {"description": "d" * 300 + MARKUP, "error": "e" * 300 + MARKUP}
    made = schedules("n" * 190, cron="30 2 * * *", zone="America/Argentina/ComodRivadavia", **words)
    scheduled_run(made, due_at=now - timedelta(days=400), started_at=now, state="dead", reason=MARKUP + "r" * 100)
    scheduled_run(made, due_at=now - timedelta(hours=9), started_at=now, state="waiting", attempts=12)
    lease = {"token": 10**17, "until": now, "taken_at": now, "renewed_at": now}
    Lease.objects.create(name="l" * 200, owner="o" * 200, **lease)
    base = f"{live_server.url}/admin/django_celery_beat/"
    with visiting(viewport={"width": width, "height": 800}) as visit:
        page = visit.page
        log_in(page, live_server)
        for path in (
            "periodictask/",
            f"periodictask/{made.pk}/change/",
            f"periodictask/{made.pk}/delete/",
            f"periodictask/do/disable/?schedules={made.pk}",
            "crontabschedule/",
            f"crontabschedule/{made.periodic_task.crontab_id}/change/",
            "../jobs/queueload/",
        ):
            response = page.goto(base + path)
            assert response is not None
            assert response.status == 200, path
            assert page.evaluate("document.documentElement.scrollWidth") == width, path

        page.goto(f"{base}periodictask/{made.pk}/change/")
        page.get_by_label("By the clock").fill("0 0 30 2 *")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("None of its months has a day 30: it would never run.")).to_be_visible()
        expect(page.get_by_label("By the clock")).to_have_value("0 0 30 2 *")
        page.get_by_label("By the clock").fill("")
        page.get_by_label("Every").fill("45")
        page.get_by_role("button", name="Save and continue editing").click()
        expect(page.get_by_text("every 45 seconds", exact=True)).to_be_visible()

        page.get_by_role("link", name="Run now…").click()
        page.get_by_label("Reason").fill("wanted")
        page.get_by_role("button", name=re.compile("^Run “.+” now$")).dblclick()
        # Which of the two answers is shown depends on how far the first one has come when the second press goes out.
        expect(page.get_by_text(re.compile(r"runs now\.|let run by this press already"))).to_be_visible()
        assert visit.complaints == []
    assert PeriodicTask.objects.get(pk=made.pk).interval.every == 45
    assert ScheduledRun.objects.count() == Job.objects.count() == 3
