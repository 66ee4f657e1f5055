"""Fans help themselves with the keyboard alone, without scripts, and read what is wrong at its field."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.models import AskedAttention, AskedOrders, Order
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_without_scripts_and_by_keyboard_a_fan_asks_for_his_orders_and_writes_to_us(
    live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting(java_script_enabled=False, viewport={"width": 320, "height": 640}) as visit:
        page = visit.page
        page.goto(live_server.url)
        page.get_by_role("link", name="Find my orders").press("Enter")
        email = page.get_by_label("E-mail")
        email.fill("ada@")
        page.keyboard.press("Enter")
        expect(email).to_be_focused()
        expect(email).to_have_accessible_description(
            "The one that you bought with. We use it for this mail alone. "
            "This is not a complete e-mail address. Enter it like name@example.org."
        )
        email.fill("ada@example.org")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("If there are orders for this address")
        page.get_by_role("main").get_by_role("link", name="Write to us").press("Enter")
        page.get_by_label("Your message").fill("The show was lovely.\nThank you!")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_label("Order code, if you have one").press("Enter")
        expect(page.get_by_role("status")).to_contain_text("Your message has arrived.")
        assert [each for each in visit.complaints if "422" not in each] == []
    assert AskedOrders.objects.get().email == "ada@example.org"
    assert AskedAttention.objects.get().text == "The show was lovely.\nThank you!"


def test_from_the_orders_page_a_slip_is_put_right_and_the_policy_of_the_page_lets_the_forms_through(
    order_with_tickets: Order, live_server: LiveServer, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/orders/{order_with_tickets.token}/")
        page.get_by_role("link", name="Correct the name").click()
        name = page.get_by_label("Name")
        name.fill("Somebody Else")
        page.get_by_role("button", name="Correct the name").click()
        expect(name).to_be_focused()
        expect(page.locator("#name-problem")).to_contain_text("more than a slip")
        name.fill("Ada Lovelaec")
        page.get_by_role("button", name="Correct the name").dblclick()
        expect(page.get_by_role("status")).to_contain_text("The tickets now bear the name Ada Lovelaec.")
        page.get_by_role("link", name=f"Back to order {order_with_tickets.code}").click()
        expect(page.get_by_role("list").filter(has_text="Ada Lovelaec")).to_be_visible()
        assert [each for each in visit.complaints if "422" not in each] == []
