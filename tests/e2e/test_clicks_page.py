"""The page of clicks in a browser: read by keyboard, as wide as the screen and no wider, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from snip.log.streams import stream_names
from snip.models import ArchiveProgress, ClickDay, Link, LinkCode
from tests.desk_in_a_browser import PASSWORD, log_in
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/admin/snip/clickday/"


@pytest.fixture
def clicked_links() -> list[Link]:
    """Two links with clicks of ten days, by hour, country and referrer."""
    now = datetime.now(UTC)
    links = []
    for code, label in (("k7mqx2", "Poster at the station, Mitte"), ("b2pnv9", "")):
        link = Link.objects.create(target="https://example.org/shows/nightbirds/", label=label)
        LinkCode.objects.create(code=code, link=link)
        links.append(link)
        for ago in range(10):
            day = (now - timedelta(days=ago)).date()
            sums = [(1, f"{hour:02}", 11 + hour * (ago + 2), hour) for hour in range(7, 23)]
            sums += [(2, "DE", 900 - 40 * ago, 30), (2, "AT", 200, 3), (2, "", 90, 200)]
            sums += [
                (3, "a-very-long-name.of-a-host-that.no-telephone.has-room-for.example", 700, 0),
                (3, "", 400, 233),
            ]
            for by, value, people, bots in sums:
                for is_bot, clicks in ((False, people), (True, bots)):
                    ClickDay.objects.create(code=code, day=day, by=by, value=value, is_bot=is_bot, clicks=clicks)
    for stream in stream_names(settings.SNIP_STREAMS):
        ArchiveProgress.objects.create(stream=stream, complete_until=now - timedelta(seconds=12))
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    return links


def test_charts_are_read_by_keyboard_and_a_link_leads_to_its_own_clicks(
    live_server: LiveServer, visiting: Visiting, clicked_links: list[Link]
) -> None:
    with visiting(viewport={"width": 1280, "height": 900}) as visit:
        page = visit.page
        log_in(page, live_server, PAGE)
        chart = page.locator("[data-chart]").nth(1)
        chart.focus()
        page.keyboard.press("Home")
        expect(chart.locator("[data-chart-words]")).to_have_text("00:00: 0 clicks, and 0 of bots")
        page.keyboard.press("End")
        expect(chart.locator("[data-chart-words]")).to_contain_text("23:00")
        page.get_by_role("link", name="Poster at the station, Mitte").click()
        expect(page.locator("select[name=link]")).to_have_value(str(clicked_links[0].pk))
        expect(page.locator(".part.link")).to_have_count(0)
        assert visit.complaints == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_telephone_reads_clicks_without_scripts_and_without_scrolling_sideways(
    live_server: LiveServer, visiting: Visiting, clicked_links: list[Link], language: str
) -> None:
    with visiting(viewport={"width": 320, "height": 800}, java_script_enabled=False) as visit:
        visit.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        log_in(visit.page, live_server, PAGE)
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 320
        heading = "By referrer" if language == "en" else "Nach Herkunft"
        expect(visit.page.get_by_role("heading", name=heading)).to_be_visible()
        visit.page.locator("select[name=link]").select_option(str(clicked_links[1].pk))
        visit.page.locator(".sales-filter input[type=submit]").click()
        expect(visit.page.locator("select[name=link]")).to_have_value(str(clicked_links[1].pk))
        assert visit.complaints == []
