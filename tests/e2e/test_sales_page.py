"""The page of sales in a browser: read by keyboard, kept fresh, as wide as the screen and no wider."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.admin import sales
from boxoffice.sales.count_sales import count_sales
from inventory.models import Show
from jobs.wakeup import plain_connection
from tests.books import sell_at_the_desk
from tests.desk_in_a_browser import PASSWORD, log_in
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/admin/boxoffice/takings/"


@pytest.fixture
def house_with_sales(make_show: Callable[..., Show]) -> Show:
    """Two seats of 42.10 € were sold, and counted."""
    show = make_show(
        "Nightbirds and a very long title that no telephone has room for", prices={"Front": 4210, "House": 0}
    )
    sell_at_the_desk(show, "A-1", "A-2")
    with transaction.atomic():
        count_sales(show_id=show.pk)
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    return show


def test_figures_are_refreshed_charts_read_by_keyboard_and_what_is_open_stays_open(
    live_server: LiveServer, visiting: Visiting, house_with_sales: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sales, "REFRESH_SECONDS", 0.3)
    with visiting(viewport={"width": 1280, "height": 900}) as visit:
        page = visit.page
        log_in(page, live_server, PAGE)
        net = page.locator(".sales-tiles .main dd").first
        expect(net).to_have_text("84.20\N{NO-BREAK SPACE}€")

        chart = page.locator("[data-chart]").first
        chart.focus()
        expect(chart.locator("[data-chart-words]")).to_have_text("The arrow keys go from one column to the next.")
        page.keyboard.press("End")
        expect(chart.locator("[data-chart-words]")).to_contain_text("84.20\N{NO-BREAK SPACE}€ gross")
        page.keyboard.press("ArrowLeft")
        expect(chart.locator("[data-chart-words]")).to_contain_text("0.00\N{NO-BREAK SPACE}€ gross")

        page.get_by_text("The table behind both").click()
        page.locator("h1").click()
        page.evaluate("document.activeElement.blur()")
        with plain_connection("default") as other:
            other.execute("UPDATE boxoffice_takings SET gross = gross + 100")
        expect(net).to_have_text("85.20\N{NO-BREAK SPACE}€")
        expect(page.locator("details[data-keep=days-EUR]")).to_have_attribute("open", "")

        expect(page.get_by_label("First day")).to_be_hidden()
        page.get_by_label("Period").select_option("own")
        expect(page.get_by_label("First day")).to_be_visible()
        assert visit.complaints == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_telephone_reads_it_without_scripts_and_without_scrolling_sideways(
    live_server: LiveServer, visiting: Visiting, house_with_sales: Show, language: str
) -> None:
    with visiting(viewport={"width": 320, "height": 800}, java_script_enabled=False) as visit:
        visit.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
        log_in(visit.page, live_server, PAGE)
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 320
        expect(visit.page.locator(".sales-tiles .main dd").first).to_contain_text("€")
        visit.page.locator("select[name=show]").select_option(str(house_with_sales.pk))
        visit.page.locator(".sales-filter input[type=submit]").click()
        expect(visit.page.locator("#full")).to_have_text("How full it is" if language == "en" else "Auslastung")
        assert visit.complaints == []
