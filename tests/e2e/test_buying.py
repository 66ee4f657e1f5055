"""A fan in a browser, with everything that a box office runs on: from the list of shows to the mail."""

from __future__ import annotations

import mailbox
import re
from email.policy import default

import pytest
from playwright.sync_api import expect

from boxoffice.models import Order
from inventory.models import Show
from tests.fixtures_inventory import seat_ids, statuses
from tests.fixtures_storefront import Site, Visiting
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_fan_picks_seats_by_mouse_and_keyboard_buys_and_sees_the_tickets_appear(
    show_on_sale: Show, site: Site, visiting: Visiting
) -> None:
    with visiting() as visit:
        page = visit.page
        page.goto(site.address)
        page.get_by_role("link", name="Nightbirds").click()

        seats = page.get_by_role("group", name="Seat map")
        seats.get_by_role("checkbox", name="Stalls, row B, seat 4").click()
        expect(page.get_by_role("button", name="Hold 1 seat")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_text("Stalls, row B, seat 3 · House, free")).to_be_visible()
        page.keyboard.press("Space")
        expect(seats.get_by_role("checkbox", name="Stalls, row B, seat 3")).to_be_checked()
        page.get_by_role("button", name="Hold 2 seats").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Your 2 seats are held")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Get 2 tickets, free").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
        expect(page.get_by_text("The seats are yours.")).to_be_visible()
        # Without any doing of the fan, and without loading the page again:
        expect(page.get_by_role("img", name=re.compile("QR code of ticket"))).to_have_count(2, timeout=20_000)
        expect(page.get_by_text("Sent to ada@example.org.")).to_be_visible(timeout=20_000)
        expect(page.locator("[hx-get]")).to_have_count(0)
        with page.expect_download() as download:
            page.get_by_role("link", name="Save the 2 tickets as PDF").click()
        saved = download.value
        assert saved.path().read_bytes().startswith(b"%PDF-")
        assert re.fullmatch(r"tickets-\w+\.pdf", saved.suggested_filename)
        assert visit.complaints == []

    order = Order.objects.get()
    assert [statuses(show_on_sale)[guid] for guid in ("B-2", "B-3", "B-4", "B-5")] == [
        "available",
        "sold",
        "sold",
        "available",
    ]
    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    (mail,) = [mailbox.MaildirMessage(m) for m in mailbox.Maildir(site.maildir)]
    assert mail["To"] == "Ada Lovelace <ada@example.org>"
    assert f"{site.address}/orders/{order.token}/" in mail.as_bytes(policy=default).decode(errors="replace")


def test_a_fan_whose_browser_runs_no_script_buys_by_the_list_and_reloads(
    show_on_sale: Show, site: Site, visiting: Visiting
) -> None:
    (seat,) = seat_ids(show_on_sale, "C-5")
    with visiting(java_script_enabled=False) as visit:
        page = visit.page
        page.goto(f"{site.address}/shows/{show_on_sale.slug}/")
        expect(page.locator(".map-frame")).to_be_hidden()
        page.locator(f"input[value='{seat}']").check()
        page.get_by_role("button", name="Hold the chosen seats").click()
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Get 1 ticket, free").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
        codes = page.get_by_role("img", name=re.compile("QR code of ticket"))
        for _ in range(100):
            again = page.get_by_role("link", name="Reload this page to see your tickets.")
            if codes.count() or not again.count():
                break
            again.click()
        expect(codes).to_have_count(1)
