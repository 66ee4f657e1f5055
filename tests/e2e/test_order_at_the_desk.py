"""The page of an order that was just sold at the counter follows what is done about it, and moves nothing meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.models import Order
from inventory.models import Show
from jobs.models import Job
from tests.books import sell_at_the_desk
from tests.desk_in_a_browser import bring_session, session_of_an_operator
from tests.fixtures_storefront import Visiting
from tickets.issue_tickets import issue_tickets

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def _make_tickets() -> None:
    """As the workers do, in a thread where Django may query."""
    try:
        issue_tickets(order_id=Order.objects.get().pk)
        Job.objects.filter(subject__startswith="order:").update(state="done")
    finally:
        connection.close()


@pytest.mark.parametrize("is_at_the_offers", [False, True], ids=["reads", "has the focus there"])
def test_the_tickets_can_be_printed_as_soon_as_they_are_made_and_what_one_reads_stays_where_it_is(
    is_at_the_offers: bool, show_on_sale: Show, client: Client, live_server: LiveServer, visiting: Visiting,
    ticket_files: Path,
) -> None:  # fmt: skip
    order = sell_at_the_desk(show_on_sale, "A-1", "A-2")
    session = session_of_an_operator(client)
    with visiting(viewport={"width": 375, "height": 500}) as visit:
        page = visit.page
        bring_session(visit, live_server, session)
        page.goto(f"{live_server.url}/admin/boxoffice/order/{order.pk}/change/")
        expect(page.get_by_text("keeps itself up to date")).to_be_visible()
        printing = page.locator(".story-offers").get_by_role("link", name="Print the tickets")
        expect(printing).to_have_count(0)
        if is_at_the_offers:
            page.locator(".story-offers a").first.focus()
        else:
            page.locator("#timeline").evaluate("it => it.scrollIntoView()")
        read = page.locator("#timeline")
        before = read.evaluate("it => it.getBoundingClientRect().top")

        with ThreadPoolExecutor(max_workers=1) as aside:
            aside.submit(_make_tickets).result(timeout=20)

        if is_at_the_offers:
            expect(page.locator(".timeline")).to_contain_text("2 tickets issued")
            expect(page.locator(".story-offers a").first).to_be_focused()
            expect(printing).to_have_count(0)
            page.evaluate("document.activeElement.blur()")
        expect(printing).to_have_count(1)
        expect(page.get_by_text("keeps itself up to date")).to_be_hidden()
        if not is_at_the_offers:
            assert abs(read.evaluate("it => it.getBoundingClientRect().top") - before) < 2
        assert visit.complaints == []
