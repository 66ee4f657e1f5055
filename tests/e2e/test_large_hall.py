"""A hall of 12,000 places in a browser without a script, and standing places in one with it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from inventory.models import Hold, Seat, Show
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def places(show: Show) -> list[str]:
    """What is held of the show, in words."""
    return [seat.label for seat in Seat.objects.filter(hold__in=Hold.objects.filter(show=show)).order_by("position")]


def test_without_a_script_seats_of_two_parts_are_chosen_and_a_word_is_said_before_one_is_left_alone(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(viewport={"width": 375, "height": 800}, java_script_enabled=False) as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{arena_show.slug}/")
        page.get_by_role("button", name="Block 101").click()
        page.get_by_role("checkbox", name="2", exact=True).first.check()
        page.get_by_text("Part by part").click()
        page.get_by_role("button", name="Block 205").click()
        expect(page.get_by_role("checkbox", name="Block 101, row 1, seat 2")).to_be_checked()
        for number in ("1", "2"):
            page.get_by_role("checkbox", name=number, exact=True).first.check()
        page.get_by_role("button", name="Hold the chosen seats").click()
        expect(page.get_by_role("alert")).to_contain_text("Block 101, row 1, seat 1 would be left alone")
        scrolls = page.locator("html").evaluate("html => html.scrollWidth > html.clientWidth")
        page.get_by_role("button", name="Take it along").click()
        expect(page).to_have_url(f"{live_server.url}/holds/{page.url.split('/')[4]}/")
    assert not scrolls, "nothing scrolls sideways"
    assert places(arena_show) == [
        "Block 101, row 1, seat 1",
        "Block 101, row 1, seat 2",
        "Block 205, row 1, seat 1",
        "Block 205, row 1, seat 2",
    ]


def test_with_a_script_standing_places_are_held_by_how_many(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{arena_show.slug}/")
        page.locator("#map-frame[data-ready]").wait_for()
        expect(page.locator("#zones")).to_be_hidden()
        area = page.get_by_role("group", name="Front standing")
        area.get_by_role("combobox", name="Places").select_option("3 places")
        area.get_by_role("button", name="Hold").click()
        page.wait_for_url("**/holds/**")
        assert visit.complaints == []
    assert places(arena_show) == ["Front standing"] * 3
