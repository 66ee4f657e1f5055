"""What only a browser can tell: touch, the countdown, double clicks, and that nothing scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Show, Venue
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import let_lapse, seat_ids
from tests.fixtures_storefront import Visiting
from tickets.issue_tickets import issue_tickets

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}


def test_on_a_phone_the_first_tap_comes_closer_and_the_next_one_chooses(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(**PHONE) as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{show_on_sale.slug}/")
        mark = page.get_by_role("group", name="Seat map").get_by_role("checkbox", name="Stalls, row B, seat 4")
        hint = page.locator(".said")
        expect(hint).to_have_text("Tap a seat to choose it.", use_inner_text=True)
        page.evaluate("document.getElementById('map').style.width = '160px'")  # as a hall of forty seats a row
        expect(hint).to_have_text("The first tap comes closer, the next ones choose.", use_inner_text=True)
        small = mark.bounding_box()
        mark.tap()
        expect(mark).not_to_be_checked()
        large = mark.bounding_box()
        assert small
        assert large
        assert large["width"] > small["width"]
        mark.tap()
        expect(mark).to_be_checked()
        expect(page.get_by_role("button", name="Hold 1 seat")).to_be_in_viewport()


def test_the_map_and_the_list_say_the_same(show_on_sale: Show, live_server: LiveServer, visiting: Visiting) -> None:
    (b3,) = seat_ids(show_on_sale, "B-3")
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{show_on_sale.slug}/")
        mark = page.get_by_role("group", name="Seat map").get_by_role("checkbox", name="Stalls, row B, seat 3")
        listed = page.locator(f"input[value='{b3}']")
        listed.check()
        expect(mark).to_be_checked()
        mark.click()
        expect(listed).not_to_be_checked()
        assert visit.complaints == []


def test_an_eleventh_seat_is_not_chosen_and_the_page_says_why(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{show_on_sale.slug}/")
        for box in page.locator("input[name=seats]").all()[:10]:
            box.check()
        eleventh = page.locator("input[name=seats]").nth(10)
        eleventh.click()
        expect(eleventh).not_to_be_checked()
        expect(page.get_by_role("alert")).to_have_text(
            "You can take up to 10 seats at once. Give one back to choose another."
        )
        expect(page.get_by_role("button", name="Hold 10 seats")).to_be_visible()


def test_holding_nothing_says_what_to_do_without_leaving_the_page(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{show_on_sale.slug}/")
        page.get_by_role("button", name="Hold seats").click()
        expect(page.get_by_role("alert")).to_have_text("No seat was chosen. Choose at least one.")


def test_a_double_click_holds_once_and_buys_once(
    show_on_sale: Show, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/shows/{show_on_sale.slug}/")
        page.get_by_role("button", name="Hold the best seats").dblclick()
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Get 2 tickets, free").dblclick()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
    assert Hold.objects.count() == 1
    assert Order.objects.count() == 1


def test_the_time_left_is_calm_until_two_minutes_then_clear_and_then_the_seats_are_offered_again(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.clock.install()
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        told = page.locator("#time-left")
        expect(told).to_have_text("Nobody else can take them for another 10 minutes.")
        page.clock.run_for(timedelta(minutes=7).total_seconds() * 1000)
        expect(told).not_to_have_class("lede time-left soon")
        page.clock.run_for(timedelta(minutes=1, seconds=30).total_seconds() * 1000)
        expect(told).to_have_class("lede time-left soon")
        expect(page.locator("#time-words")).to_contain_text("1 minute")
        # Spoken once at two minutes, and not each second.
        expect(page.locator("#time-aloud")).to_contain_text("Nobody else can take them for another 2 minutes. If")
        page.clock.run_for(timedelta(minutes=2).total_seconds() * 1000)
        expect(page.get_by_role("heading", level=1)).to_have_text("Your seats are no longer held")
        expect(page.get_by_role("button")).not_to_contain_text(["Get 2 tickets"])
        expect(page.get_by_role("link", name="See whether they are")).to_be_visible()


def test_a_mistyped_address_is_kept_and_has_the_focus(
    held_seats: Hold, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/holds/{held_seats.token}/")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@")
        page.keyboard.press("Enter")
        email = page.get_by_label("E-mail")
        expect(email).to_be_focused()
        expect(email).to_have_value("ada@")
        expect(page.get_by_label("Name")).to_have_value("Ada Lovelace")
        expect(email).to_have_accessible_description(
            "The tickets are sent there. This is not a complete e-mail address. Enter it like name@example.org."
        )


# Buttons, fields and links that stand on their own; a link within a sentence is as high as its line.
TOO_SMALL = """
    () => [...document.querySelectorAll(
        'button, input:not([type=hidden]), select, summary, .back, .wordmark, a.button'
    )]
        .filter((element) => element.checkVisibility())
        .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
        .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
        .map(([html, box]) => `${html} ${box.width}x${box.height}`)
"""
LONG = "The Woman Who Walked into the Sea and Came Back with a Donaudampfschifffahrtsgesellschaftskapitänsmütze"


@pytest.fixture
def addresses(make_show: Callable[..., Show], make_hold: Callable[..., Hold], ticket_files: Path) -> list[str]:
    """One page of each kind, with the longest words that we can think of; so are those for the time in New York."""
    Venue.objects.update(time_zone="America/New_York")
    show = make_show(LONG, subtitle=LONG, description=LONG)
    held = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-1", "A-2"))
    bought = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-3", "A-4"))
    lapsed = make_hold()
    let_lapse(lapsed)
    order = confirm_order(order_id=place(bought, name="N" * 200, email=f"{'e' * 60}@example.org").pk)
    issue_tickets(order_id=order.pk)
    return [
        "/",
        f"/shows/{show.slug}/",
        f"/holds/{held.token}/",
        f"/holds/{lapsed.token}/",
        f"/orders/{order.token}/",
        f"/orders/{order.token}/send-again/",
        f"/orders/{order.token}/name/",
        f"/orders/{order.token}/write-to-us/",
        "/write-to-us/",
        "/my-orders/",
        "/my-orders/?asked=1",
        "/nowhere/",
    ]


@pytest.mark.parametrize(("width", "language"), [(320, "de"), (320, "en"), (375, "de"), (1280, "en")])
def test_nothing_scrolls_sideways_and_what_can_be_pressed_is_large_enough(
    addresses: list[str], live_server: LiveServer, visiting: Visiting, width: int, language: str
) -> None:
    locale = {"de": "de-DE", "en": "en-GB"}[language]  # Chromium sends it, whatever headers it is given
    with visiting(viewport={"width": width, "height": 700}, locale=locale) as visit:
        for address in addresses:
            visit.page.goto(live_server.url + address)
            assert visit.page.locator("html").get_attribute("lang") == language, address
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, address
            assert visit.page.evaluate(TOO_SMALL) == [], address
