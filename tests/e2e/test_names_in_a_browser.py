"""A long name from right to left on the pages and in the mail, in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from boxoffice.messages import tickets_ready
from boxoffice.messages.base import lay_out
from boxoffice.models import Order
from inventory.models import Show
from tests.fixtures_storefront import Visiting
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAME = "محمد بن عبد الله الخوارزمي (Berlin) 山田 🎭"
TITLE = "ألف ليلة وليلة — الجزء 2 (Live) " + "ل" * 80
WIDTHS = (375, 1280)


def test_the_pages_and_the_mail_keep_their_width_and_the_file_is_saved(
    order_with_tickets: Order, live_server: LiveServer, visiting: Visiting, tmp_path: Path
) -> None:
    Order.objects.update(name=NAME)
    Ticket.objects.update(holder_name=NAME)
    Show.objects.update(title=TITLE, subtitle=TITLE)
    order = Order.objects.get(pk=order_with_tickets.pk)
    mail = tmp_path / "mail.html"
    mail.write_text(lay_out(tickets_ready.draft(subject=order.subject), to_address=order.email).html)
    looks = Path(os.environ.get("SCREENSHOTS", tmp_path))
    addresses = {
        "order": f"{live_server.url}/orders/{order.token}/",
        "show": f"{live_server.url}/shows/{order.show.slug}/",
        "mail": mail.as_uri(),
    }
    for width in WIDTHS:
        with visiting(viewport={"width": width, "height": 812}) as visit:
            page = visit.page
            for name, address in addresses.items():
                page.goto(address)
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                page.screenshot(path=looks / f"{name}-{width}.png", full_page=True)
            page.goto(addresses["order"])
            with page.expect_download() as saving:
                page.get_by_role("link", name="Save the 2 tickets as PDF").click()
            assert saving.value.suggested_filename == f"tickets-{order.code}.pdf"
            assert Path(saving.value.path()).read_bytes().startswith(b"%PDF-")
