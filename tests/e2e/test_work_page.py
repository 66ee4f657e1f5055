"""The page of queues and workers keeps itself fresh, and lets whoever reads it read."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from jobs.admin import work
from jobs.models import QueueLoad
from jobs.wakeup import plain_connection
from tests.desk_in_a_browser import PASSWORD, log_in
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/admin/jobs/queueload/"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "REFRESH_SECONDS", 0.2)


def set_ready(count: int) -> None:
    """From outside: Django refuses queries in this thread while a browser is open."""
    with plain_connection("default") as other:
        other.execute("UPDATE jobs_queueload SET ready = %s", [count])


def test_figures_change_by_themselves_until_somebody_stops_them_and_what_one_reads_stays_where_it_is(
    live_server: LiveServer, visiting: Visiting
) -> None:
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    QueueLoad.objects.create(queue="probe", ready=11)
    with visiting(viewport={"width": 1280, "height": 500}) as visit:
        page = visit.page
        log_in(page, live_server, PAGE)
        ready = page.locator("tr", has=page.get_by_role("link", name="probe", exact=True)).locator(
            "td[data-label=Ready]"
        )
        expect(ready).to_have_text("11")
        page.evaluate("document.querySelector('#processes').scrollIntoView()")
        before = page.evaluate("document.querySelector('#processes').getBoundingClientRect().top")
        set_ready(4242)
        expect(ready).to_have_text("4,242")
        assert abs(page.evaluate("document.querySelector('#processes').getBoundingClientRect().top") - before) < 1

        page.get_by_role("button", name="Stop refreshing").click()
        with page.expect_response(lambda answer: PAGE in answer.url) as answered:
            set_ready(7)
            page.get_by_role("button", name="Go on refreshing").click()
        assert answered.value.ok
        expect(ready).to_have_text("7")
        assert visit.complaints == []


def test_without_scripts_there_is_a_link_and_no_button(live_server: LiveServer, visiting: Visiting) -> None:
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    QueueLoad.objects.create(queue="probe", ready=11)
    with visiting(viewport={"width": 375, "height": 800}, java_script_enabled=False) as visit:
        log_in(visit.page, live_server, PAGE)
        expect(visit.page.get_by_role("button", name="Stop refreshing")).to_have_count(0)
        set_ready(12)
        visit.page.get_by_role("link", name="Refresh").click()
        expect(visit.page.get_by_text("12", exact=True)).to_be_visible()
