"""The stand-in's payment page in a browser: paid, declined, confirmed to the bank, gone back from, too late."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.fixtures_payments import Payments, Receiver
from tests.fixtures_storefront import Visiting

pytestmark = pytest.mark.browser


@pytest.fixture
def shop(receiver: Receiver) -> str:
    """Any site that a browser can be sent back to: the endpoint of the events answers GET with an error page."""
    return receiver.address.removesuffix("/hooks")


def choose(page: Page, card: str) -> None:
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_role("radio", name=card).check()
    page.get_by_role("button", name="Pay 84.00 EUR").click()


def test_paying_leads_back_to_the_shop_with_the_session(payments: Payments, shop: str, visiting: Visiting) -> None:
    session = payments.open_session(success_url=f"{shop}/paid?session={{CHECKOUT_SESSION_ID}}", cancel_url=f"{shop}/no")
    with visiting(java_script_enabled=False, viewport={"width": 375, "height": 700}) as visit:
        page = visit.page
        page.goto(str(session.url))
        expect(page.get_by_role("heading")).to_contain_text("84.00 EUR")
        expect(page.get_by_text("No real money moves")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        choose(page, "Is declined")
        expect(page.get_by_role("alert")).to_contain_text("Your card was declined.")
        expect(page.get_by_label("E-mail")).to_have_value("ada@example.org")
        choose(page, "Pays at once")
        page.wait_for_url(f"{shop}/**")
        assert parse_qs(urlsplit(page.url).query) == {"session": [session.id]}
        page.goto(str(session.url))
        expect(page.get_by_role("heading")).to_have_text("This is paid already")
        expect(page.get_by_role("link", name="Go on to your order")).to_have_attribute(
            "href", f"{shop}/paid?session={session.id}"
        )
    paid = payments.client().v1.checkout.sessions.retrieve(session.id)
    assert paid.customer_details is not None
    assert (paid.payment_status, paid.customer_details.email) == ("paid", "ada@example.org")


def test_the_bank_asks_and_a_no_lets_one_try_again(payments: Payments, shop: str, visiting: Visiting) -> None:
    session = payments.open_session(success_url=f"{shop}/paid")
    with visiting() as visit:
        page = visit.page
        page.goto(str(session.url))
        choose(page, "Pays after 3-D Secure")
        expect(page.get_by_role("heading")).to_have_text("Confirm the payment of 84.00 EUR")
        page.get_by_role("button", name="That is not me").click()
        expect(page.get_by_role("alert")).to_contain_text("unable to authenticate")
        choose(page, "Pays after 3-D Secure")
        page.get_by_role("button", name="Confirm the payment").click()
        page.wait_for_url(f"{shop}/**")
    assert payments.client().v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_the_way_back_and_the_end_of_the_time(payments: Payments, shop: str, visiting: Visiting) -> None:
    session = payments.open_session(cancel_url=f"{shop}/orders/1", customer_email="ada@example.org")
    with visiting() as visit:
        page = visit.page
        page.goto(str(session.url))
        expect(page.get_by_role("link", name="Back to the shop")).to_have_attribute("href", f"{shop}/orders/1")
        expect(page.get_by_text("ada@example.org")).to_be_visible()
        payments.client().v1.checkout.sessions.expire(session.id)
        page.get_by_role("button", name="Pay 84.00 EUR").click()
        expect(page.get_by_role("heading")).to_have_text("The time for this payment is over")
        page.goto(f"{payments.address}/c/pay/cs_test_nobodys")
        expect(page.get_by_role("heading")).to_have_text("There is no such payment")


def test_knobs_are_turned_and_events_sent_again_by_hand(
    payments: Payments, receiver: Receiver, visiting: Visiting
) -> None:
    payments.paid_session()
    receiver.wait_for(4)
    with visiting() as visit:
        page = visit.page
        page.goto(f"{payments.address}/knobs/")
        page.get_by_label("Wait before each answer, in ms").fill("x")
        page.get_by_role("button", name="Turn the knobs").click()
        expect(page.get_by_role("alert")).to_contain_text("Enter numbers")
        page.get_by_label("Wait before each answer, in ms").fill("7")
        page.get_by_label("New refunds").select_option("pending")
        page.get_by_role("button", name="Turn the knobs").click()
        expect(page.get_by_role("status")).to_contain_text("Turned")
        page.goto(f"{payments.address}/")
        expect(page.get_by_text("Knobs are turned")).to_be_visible()
        page.get_by_role("button", name="Send again checkout.session.completed").click()
        expect(page.get_by_role("status")).to_contain_text("sent again")
    assert payments.get("knobs")["latency_ms"] == 7
    assert payments.get("knobs")["refunds"] == "pending"
    assert receiver.wait_for(5)[4].type == "checkout.session.completed"
