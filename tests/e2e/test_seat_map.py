"""The seat map in a browser: a hall of 12,000 places by mouse, finger and keyboard, and what other fans do to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from inventory.import_seating_plan import import_seating_plan
from inventory.models import Show, Venue
from tests.fixtures_inventory import plan_document, seat_ids, statuses
from tests.fixtures_storefront import Visiting
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}
GLIDING = {"reduced_motion": "no-preference"}
LONE_SEATS = Path(__file__).parents[1] / "unit" / "inventory" / "lone_seats.json"

# An element for each seat would make every step slow. How long steps take, bench/seat_map_in_browser.py measures.
MOST_ELEMENTS = 2500
# Polling, the server's memory of a second, and a busy machine; the page itself promises three seconds.
SOON = 8_000


def opened(page: Page, server: LiveServer, show: Show, query: str = "") -> Locator:
    """The show's page with its map drawn and answering."""
    page.goto(f"{server.url}/shows/{show.slug}/{query}")
    page.locator("#map-frame[data-ready]").wait_for()
    return page.get_by_role("group", name="Seat map")


def mark_of(page: Page, seat_id: int) -> Locator:
    """The seat's mark on the map, there while it is in view and large enough."""
    return page.locator(f"#map [data-seat='{seat_id}']")


def press_at(page: Page, across: float, down: float, *, tap: bool = False) -> None:
    """Press the map at this share of its width and height."""
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map").bounding_box()
    assert box
    (page.touchscreen.tap if tap else page.mouse.click)(
        box["x"] + box["width"] * across, box["y"] + box["height"] * down
    )


def after(page: Page, milliseconds: int, what: Locator) -> int:
    """How often this is on the page once so much of its time has passed."""
    page.clock.run_for(milliseconds)
    return what.count()


def a_free_mark(page: Page) -> Locator:
    """The free seat in view that is nearest to the middle of the map."""
    page.locator("#map [role=checkbox]:not([aria-disabled])").nth(20).wait_for(state="attached")
    seat = page.evaluate(
        """() => {
            const box = document.getElementById("map").getBoundingClientRect();
            const away = (mark) => {
                const at = mark.getBoundingClientRect();
                return Math.hypot(at.x - box.x - box.width / 2, at.y - box.y - box.height / 2);
            };
            const marks = [...document.querySelectorAll("#map [role=checkbox]:not([aria-disabled])")];
            return Number(marks.sort((a, b) => away(a) - away(b))[0].dataset.seat);
        }"""
    )
    return mark_of(page, seat)


def test_a_hall_of_twelve_thousand_is_drawn_of_few_elements_and_a_press_brings_closer_marks_with_names(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**GLIDING) as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        assert page.locator("#map *").count() < MOST_ELEMENTS
        press_at(page, 0.5, 0.62)
        expect(page.get_by_role("button", name="Whole hall")).to_be_enabled()
        expect(page.locator("#map .seat-number").first).to_be_visible()
        expect(a_free_mark(page)).to_have_accessible_name(re.compile(r", row \d+, seat \d+ · .*45\.00\s€ · available$"))
        assert page.locator("#map *").count() < MOST_ELEMENTS
        assert visit.complaints == []


def test_in_a_large_hall_the_first_click_comes_closer_and_the_next_ones_choose_on_map_list_and_slip(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**GLIDING) as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        press_at(page, 0.5, 0.62)
        mark = a_free_mark(page)
        expect(page.get_by_role("button", name="Hold seats")).to_be_visible()
        mark.click()
        expect(mark).to_be_checked()
        expect(page.get_by_role("button", name="Hold 1 seat")).to_be_visible()
        label = (mark.get_attribute("aria-label") or "").split(" · ")[0]
        zone = label.split(",")[0]
        slip = page.get_by_role("region", name="Your choice")
        expect(slip).to_contain_text(label)
        expect(slip).to_contain_text("45.00 €")
        page.locator("summary", has_text=zone).click()
        listed = page.locator(f"input[name=seats][value='{mark.get_attribute('data-seat')}']")
        expect(listed).to_be_checked()
        listed.uncheck()
        expect(mark).not_to_be_checked()
        listed.check()
        slip.get_by_role("button", name=f"Remove {label}").click()
        expect(mark).not_to_be_checked()
        mark.click()
        page.get_by_role("button", name="Hold 1 seat").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your seat is held")
        assert visit.complaints == []


def test_on_a_phone_a_large_hall_is_chosen_from_by_two_taps_and_the_button_stays_in_reach(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**PHONE, **GLIDING) as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        press_at(page, 0.5, 0.62, tap=True)
        mark = a_free_mark(page)
        mark.tap()
        expect(mark).to_be_checked()
        expect(page.get_by_role("button", name="Hold 1 seat")).to_be_in_viewport()
        page.get_by_role("button", name="Whole hall").tap()
        expect(page.get_by_role("button", name="Whole hall")).to_be_disabled()
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        assert visit.complaints == []


def test_the_keyboard_walks_along_and_across_rows_chooses_and_leaves(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        page.locator("#map [data-seat][tabindex='0']").focus()
        cursor = page.locator("#map [data-seat]:focus")
        # At the side of the hall the rows run down the map: along is down, and across is away from the stage.
        page.keyboard.press("ArrowLeft")
        expect(cursor).to_have_accessible_name("Block 101, row 2, seat 1 · Side view, 45.00 € · available")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        expect(cursor).to_have_accessible_name("Block 101, row 1, seat 2 · Side view, 45.00 € · available")
        expect(page.locator(".seat-ring")).to_be_visible()
        expect(page.locator("#tip")).to_have_text("Block 101, row 1, seat 2 · Side view, 45.00 € · available")
        page.keyboard.press("End")
        page.keyboard.press("Home")
        expect(cursor).to_have_accessible_name("Block 101, row 1, seat 1 · Side view, 45.00 € · available")
        page.keyboard.press("Enter")
        expect(cursor).to_be_checked()
        page.keyboard.press("PageDown")
        expect(cursor).to_have_accessible_name(re.compile(r"^Block 101, row 1, seat 11 · "))
        page.keyboard.press("PageDown")
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")
        expect(cursor).to_have_accessible_name(re.compile(r"^Block 101, row 1, seat 1 · "))
        page.keyboard.press("0")
        expect(page.get_by_role("button", name="Whole hall")).to_be_disabled()
        expect(cursor).to_be_checked()
        page.keyboard.press("Space")
        expect(cursor).not_to_be_checked()
        page.keyboard.press("+")
        expect(page.get_by_role("button", name="Whole hall")).to_be_enabled()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Hold seats")).to_be_focused()
        assert visit.complaints == []


def test_tab_leads_from_the_legend_over_the_standing_areas_to_one_seat_and_out_of_the_hall(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        page.locator(".legend.tiers button").last.focus()
        stops = []
        for _nth in range(4):
            page.keyboard.press("Tab")
            stops.append(page.locator("*:focus").get_attribute("aria-label") or "")
        *areas, seat, after_it = stops
        assert [area.split(",")[0] for area in areas] == ["Front standing", "Standing"]
        assert seat.startswith("Block 101, row 1, seat 1 · ")
        assert after_it == "Larger"


def test_what_another_fan_holds_is_seen_without_loading_the_page_and_leaves_the_choice_with_a_word(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    b2, b3, c1 = seat_ids(show_on_sale, "B-2", "B-3", "C-1")
    with visiting(**GLIDING) as visit:
        page = visit.page
        opened(page, live_server, show_on_sale, f"?seats={b2}&seats={c1}")
        expect(mark_of(page, b2)).to_be_checked()
        mark_of(page, b2).hover()
        expect(page.locator("#tip")).to_have_text("Stalls, row B, seat 2 · House, free · chosen by you")
        assert visit.context.browser
        other = visit.context.browser.new_context(locale="en-GB").new_page()
        opened(other, live_server, show_on_sale, f"?seats={b2}&seats={b3}")
        other.get_by_role("button", name="Hold 2 seats").click()
        expect(other.get_by_role("heading", level=1)).to_have_text("Your 2 seats are held")

        expect(mark_of(page, b3)).to_have_accessible_name(
            "Stalls, row B, seat 3 · House, free · held by others", timeout=SOON
        )
        expect(page.get_by_role("status").filter(has_text="was just taken")).to_have_text(
            "Stalls, row B, seat 2 was just taken by somebody else and is no longer in your choice."
        )
        expect(page.locator(f"input[value='{b2}']")).to_be_disabled()
        expect(page.get_by_role("button", name="Hold 1 seat")).to_be_visible()
        expect(page.locator("#chosen-seats")).to_have_text("Stalls, row C, seat 1")
        expect(page.locator("#tip")).to_have_text("Stalls, row B, seat 2 · House, free · held by others")
        # The one who holds them sees their own.
        opened(other, live_server, show_on_sale)
        expect(mark_of(other, b3)).to_have_accessible_name("Stalls, row B, seat 3 · House, free · held by you")
        assert visit.complaints == []


def test_a_map_that_gets_no_answers_says_so_and_is_quiet_again_when_it_does(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**GLIDING) as visit:
        page = visit.page
        page.clock.install()
        opened(page, live_server, show_on_sale)
        doubt = page.get_by_role("status").filter(has_text="The map may be out of date")
        page.route("**/states*", lambda route: route.fulfill(status=503, body=""))
        wait_for(lambda: after(page, 4_000, doubt) == 1, what="the page doubts the map")
        expect(doubt).to_be_visible()
        page.unroute("**/states*")
        wait_for(lambda: after(page, 20_000, doubt) == 0, what="the page trusts the map again")


def test_a_sale_that_ended_is_told_on_the_map_and_the_link_keeps_the_choice(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    (b3,) = seat_ids(show_on_sale, "B-3")
    with visiting(**GLIDING) as visit:
        page = visit.page
        opened(page, live_server, show_on_sale)
        mark_of(page, b3).click()
        page.route("**/states*", lambda route: route.fulfill(status=409, json={"message": "The sale has ended."}))
        told = page.get_by_role("status").filter(has_text="The sale has ended.")
        expect(told).to_be_visible(timeout=SOON)
        expect(told.get_by_role("link")).to_have_attribute("href", f"?seats={b3}")


def test_a_choice_that_strands_a_seat_is_answered_by_a_word_and_an_offer_and_may_be_held_all_the_same(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    b2, b3, c2, c3 = seat_ids(show_on_sale, "B-2", "B-3", "C-2", "C-3")
    with visiting(**GLIDING) as visit:
        page = visit.page
        opened(page, live_server, show_on_sale)
        mark_of(page, b2).click()
        mark_of(page, b3).click()
        word = page.get_by_text("would be left alone, without")
        expect(word).to_have_text(
            "Stalls, row B, seat 1; Stalls, row B, seat 4 would be left alone, without free seats beside them."
        )
        page.get_by_role("button", name="Take them along").click()
        expect(word).to_be_hidden()
        expect(page.locator("#chosen-seats")).to_have_text("Stalls, row B, seats 1\u2060–\u20604")
        expect(page.get_by_role("button", name="Hold 4 seats")).to_be_focused()
        mark_of(page, c2).click()
        mark_of(page, c3).click()
        expect(word).to_be_visible()
        page.get_by_role("button", name="Hold 6 seats").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your 6 seats are held")
    assert statuses(show_on_sale)["C-1"] == "available"


def test_the_browser_and_the_server_call_the_same_seats_alone(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    table = json.loads(LONE_SEATS.read_text())
    state = {".": "free", "#": "chosen", "x": "taken", "w": "taken"}
    rows = [
        [{"x": at * table["pitch"], "y": 0, "state": state[sign]} for at, sign in enumerate(one["row"]) if sign != " "]
        for one in table["examples"]
    ]
    expected = [
        [sign == "!" for sign, seat in zip(one["alone"], one["row"], strict=True) if seat != " "]
        for one in table["examples"]
    ]
    with visiting(**GLIDING) as visit:
        opened(visit.page, live_server, show_on_sale)
        found = visit.page.evaluate(
            """async (rows) => {
                const entry = document.querySelector("link[href$='seat-map/lone-seats.js']");
                const { loneSeats } = await import(entry.href);
                return rows.map(loneSeats);
            }""",
            rows,
        )
    assert [[at in lone for at in range(len(row))] for lone, row in zip(found, rows, strict=True)] == expected


def test_a_standing_area_leads_to_how_many_and_a_tier_can_stand_out(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**GLIDING) as visit:
        page = visit.page
        seat_map = opened(page, live_server, arena_show)
        area = seat_map.get_by_role("button", name="Front standing, Standing, 45.00 € · 600 free. Choose how many")
        area.focus()
        page.keyboard.press("Enter")
        expect(page.locator("[data-standing$='Front standing'] select")).to_be_focused()
        tier = page.get_by_role("button", name="Wheelchair place, 45.00 €")
        tier.click()
        expect(tier).to_have_attribute("aria-pressed", "true")
        expect(area).to_have_class("standing of-1 aside")
        tier.click()
        expect(area).to_have_class("standing of-1")
        assert visit.complaints == []


def test_a_hall_without_any_seat_is_a_map_of_its_standing_areas(
    venue: Venue, make_show: Callable[..., Show], live_server: LiveServer, visiting: Visiting
) -> None:
    document = plan_document(rows="A")
    for seat in document["zones"][0]["rows"][0]["seats"]:
        seat["seat_number"] = ""
    floor = import_seating_plan(venue=venue, raw=json.dumps({**document, "name": "Floor"}).encode())
    show = make_show(plan=floor, prices={"Front": 2500})
    with visiting(**GLIDING) as visit:
        page = visit.page
        seat_map = opened(page, live_server, show)
        seat_map.get_by_role("button", name="Stalls, Front, 25.00 € · 8 free. Choose how many").click()
        expect(page.locator("[data-standing] select")).to_be_focused()
        assert visit.complaints == []


NAMELESS = """
    () => [...document.querySelectorAll("button, input:not([type=hidden]), select, a, [role=checkbox], [role=group]")]
        .filter((element) => element.checkVisibility())
        .filter((element) => !(element.getAttribute("aria-label") || element.ariaLabelledByElements?.length
            || element.labels?.length || element.textContent.trim()))
        .map((element) => element.outerHTML.slice(0, 90))
"""


def test_at_320_pixels_nothing_scrolls_sideways_and_everything_has_a_name(
    arena_show: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True, **GLIDING) as visit:
        page = visit.page
        opened(page, live_server, arena_show)
        press_at(page, 0.5, 0.62, tap=True)
        a_free_mark(page).tap()
        page.get_by_text("Row by row").click()
        page.locator("summary", has_text="Block 104").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate(NAMELESS) == []
        wheelchairs = page.locator(".row", has_text="Row W").get_by_role("checkbox")
        expect(wheelchairs.first).to_have_accessible_name("1 Wheelchair place")
        assert visit.complaints == []
