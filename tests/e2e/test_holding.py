"""A fan at the checkout, in Chromium: the countdown, more time, a tab that is closed, and one that only loads again."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from django.db import connection, transaction
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from inventory.hold_seats import hold_seats
from inventory.leave_hold import LEFT_GRACE, release_left_hold
from inventory.models import Hold, Show
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, statuses
from tests.fixtures_storefront import Visit, Visiting
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

T = TypeVar("T")


def beside(ask: Callable[[], T]) -> T:
    """Ask the database while a browser is open, from a thread of its own."""

    def call() -> T:
        try:
            return ask()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result(timeout=30)


def is_left(hold: Hold) -> bool:
    return beside(lambda: Hold.objects.filter(pk=hold.pk, left_at__isnull=False).exists())


def run_job(hold: Hold) -> bool:
    def run() -> bool:
        with transaction.atomic():
            return release_left_hold(hold_id=hold.pk)

    return beside(run)


def speak(visit: Visit, language: str, server: LiveServer) -> None:
    visit.context.add_cookies([{"name": "django_language", "value": language, "url": server.url}])


def look(page: Page, name: str) -> None:
    """Keep a picture where SCREENSHOTS names a folder for it."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def test_a_tab_that_is_closed_frees_its_seats_when_the_grace_is_over(
    held_seats: Hold, show_on_sale: Show, live_server: LiveServer, visiting: Visiting, clock: Clock
) -> None:
    with visiting() as visit:
        visit.page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        visit.page.close()
        wait_for(lambda: is_left(held_seats), what="the closed tab says so")
        assert not run_job(held_seats)
    clock.advance(LEFT_GRACE)
    assert run_job(held_seats)
    assert statuses(show_on_sale)["A-1"] == "available"


def test_a_page_that_loads_again_or_gives_way_to_another_one_of_this_site_keeps_its_seats(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/")
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        for go in (page.reload, page.go_back):
            with page.expect_response("**/back/"):
                go()
            # Once more after a while, lest the beacon of the page before come in later.
            page.wait_for_event("response", lambda response: response.url.endswith("/back/"))
            assert beside(Job.objects.filter(task="inventory.release_left_hold").count) == 1
            assert not is_left(held_seats)
        assert visit.complaints == []


def test_of_two_tabs_with_the_same_seats_one_can_be_closed(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting
) -> None:
    at = f"{live_server.url}/holds/{held_seats.token}/"
    with visiting() as visit:
        visit.page.goto(at)
        other = visit.context.new_page()
        other.goto(at)
        with visit.page.expect_response("**/back/") as answer:
            other.close()
        assert answer.value.status == 204
        wait_for(lambda: not is_left(held_seats), what="the tab that is still there says so")


def test_what_was_bought_is_not_given_back_when_the_tab_is_closed(
    held_seats: Hold, show_on_sale: Show, live_server: LiveServer, visiting: Visiting, clock: Clock
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
    clock.advance(LEFT_GRACE)
    assert not run_job(held_seats)
    assert statuses(show_on_sale)["A-1"] == "sold"


@pytest.mark.parametrize(("width", "language"), [(375, "en"), (1280, "de")])
def test_more_time_is_offered_when_two_minutes_are_left_and_keeps_what_was_typed(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting, width: int, language: str
) -> None:
    offer = {"en": "5 minutes more", "de": "5 Minuten mehr"}[language]
    given = {"en": "You have 5 minutes more.", "de": "Sie haben 5 Minuten mehr."}[language]
    with visiting(viewport={"width": width, "height": 700}) as visit:
        speak(visit, language, live_server)
        page = visit.page
        page.clock.install()
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        more = page.get_by_role("button", name=offer)
        expect(page.locator("#time-left")).not_to_have_class("lede time-left soon")
        expect(more).to_be_hidden()
        page.locator("#name").fill("Ada Lovelace")
        page.clock.fast_forward(481_000)
        expect(more).to_be_visible()
        expect(page.locator("#time-left")).to_have_class("lede time-left soon")
        expect(page.locator("#time-aloud")).not_to_be_empty()
        look(page, f"more-time-{width}-{language}")
        page.locator("#email").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(more).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text(given).last).to_be_visible()
        expect(page.locator("#time-left")).not_to_have_class("lede time-left soon")
        expect(page.locator("#name")).to_have_value("Ada Lovelace")
        look(page, f"extended-{width}-{language}")
        assert visit.complaints == []
    held_seats.refresh_from_db()
    assert held_seats.extended_at is not None


def test_without_a_script_more_time_is_a_button_all_along_and_enter_still_buys(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(java_script_enabled=False) as visit:
        page = visit.page
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_role("button", name="5 minutes more").click()
        expect(page.get_by_text("You have 5 minutes more.")).to_be_visible()
        expect(page.get_by_label("Name")).to_have_value("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")


@pytest.mark.parametrize(("width", "language"), [(375, "en"), (1280, "de")])
def test_when_the_time_is_over_one_button_holds_the_same_seats_again(
    held_seats: Hold, show_on_sale: Show, live_server: LiveServer, visiting: Visiting, width: int, language: str
) -> None:
    said = {
        "en": ("Your seats are no longer held", "See whether they are", "Hold the same 2 seats again"),
        "de": ("Ihre Plätze sind nicht mehr reserviert", "Nachsehen", "Dieselben 2 Plätze noch einmal reservieren"),
    }[language]
    at = f"{live_server.url}/holds/{held_seats.token}/"
    with visiting(viewport={"width": width, "height": 700}) as visit:
        speak(visit, language, live_server)
        page = visit.page
        page.clock.install()
        page.goto(at)
        beside(lambda: let_lapse(held_seats))
        page.clock.fast_forward(601_000)
        expect(page.get_by_role("heading", name=said[0])).to_be_visible()
        look(page, f"over-{width}-{language}")
        page.get_by_role("link", name=said[1]).click()
        expect(page.get_by_role("button", name=said[2])).to_be_visible()
        look(page, f"gone-{width}-{language}")
        page.get_by_role("button", name=said[2]).click()
        page.wait_for_url(lambda url: "/holds/" in url and url != at)
        expect(page.locator("#buyer")).to_be_visible()
        page.goto(at)  # the old address
        expect(page.locator("#buyer")).to_be_visible()
    new = Hold.objects.latest("pk")
    assert (new.seat_ids, new.follows_id) == (held_seats.seat_ids, held_seats.pk)
    let_lapse(new)
    hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids[:1])
    with visiting(viewport={"width": width, "height": 700}) as visit:
        speak(visit, language, live_server)
        visit.page.goto(at)
        look(visit.page, f"half-gone-{width}-{language}")
        expect(visit.page.get_by_role("list").filter(has_text="Stalls")).to_be_visible()
