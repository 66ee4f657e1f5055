"""The page that waits for a ticket file to be made anew, in a browser and without a script."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Route, expect

from boxoffice.models import Order, OrderLine
from boxoffice.refunds.refund_order import refund_order
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_storefront import Visiting
from tickets.renew_document import renew_document


@pytest.mark.django_db
def test_the_page_saves_the_file_by_itself_once_it_is_ready(
    client: Client, order_with_tickets: Order, visiting: Visiting
) -> None:
    """Both answers are asked for beforehand: a browser's test cannot query while the browser is open."""
    address = f"/orders/{order_with_tickets.token}/tickets.pdf"
    line = OrderLine.objects.values_list("pk", flat=True)[0]
    refund_order(order_id=order_with_tickets.pk, line_ids=[line], **WHO_AND_WHY)
    waiting = client.get(address)
    renew_document(order_id=order_with_tickets.pk)
    ready = client.get(address, follow=True)
    asked: list[str] = []

    def answer(route: Route) -> None:
        if "/orders/" not in route.request.url:
            route.abort()
            return
        asked.append(route.request.url)
        given = waiting if len(asked) == 1 else ready
        route.fulfill(status=given.status_code, headers=dict(given.headers), body=given.content)

    with visiting(java_script_enabled=False) as visit:
        visit.page.route("**/*", answer)
        with visit.page.expect_download(timeout=20_000) as saved:
            visit.page.goto(f"http://box.test{address}")
        assert saved.value.suggested_filename == f"tickets-{order_with_tickets.code}.pdf"
        assert "round=" in asked[1]
        expect(visit.page.get_by_role("heading", level=1)).to_have_text("Your tickets are being issued anew")
