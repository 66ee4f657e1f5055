"""Staff change orders in a browser: nothing scrolls sideways, in two languages, and the reader's time stands beside."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.changes.write_note import write_note
from boxoffice.models import Order
from boxoffice.refunds.refund_order import refund_order
from inventory.hold_seats import hold_seats
from inventory.models import Hold
from jobs.clock import DatabaseNow
from jobs.models import Job
from tests.desk_in_a_browser import bring_session, look_at, session_of_an_operator
from tests.fixtures_inventory import seat_ids
from tests.fixtures_storefront import Visiting
from tickets.issue_tickets import issue_tickets

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "Wolfeschlegelsteinhausenbergerdorff" * 3


@pytest.fixture
def busy_order(make_hold: Callable[..., Hold], ticket_files: object) -> Order:
    """Sold in cash, one seat given back and waiting to be paid out, a dead job, a long note."""
    hold = make_hold(seats=3, prices={"Front": 4200, "House": 1200})
    order = sell_by_staff(
        hold_token=hold.token, name=f"Ada {LONG}"[:190], email=f"ada@{'long-' * 10}example.org", language="en",
        channel=Order.Channel.PHONE, paid_by=PaidBy.CASH, by="anna",
    )  # fmt: skip
    issue_tickets(order_id=order.pk)
    line = order.lines.first()
    assert line is not None
    refund_order(order_id=order.pk, line_ids=[line.pk], by="anna", reason="one is ill")
    write_note(order_id=order.pk, text=f"Rang from her car. {LONG}", by="anna", attempt=uuid4())
    Job.objects.filter(task="tickets.issue_tickets").update(
        state="dead", attempts=20, reason="attempts used up", error="OSError: disk full", finished_at=DatabaseNow()
    )
    return order


@pytest.mark.parametrize(("width", "language"), [(320, "de"), (1280, "en")])
def test_the_pages_keep_their_width_and_tell_the_readers_time(
    width: int, language: str, busy_order: Order, client: Client, live_server: LiveServer, visiting: Visiting
) -> None:
    session = session_of_an_operator(client)
    held = hold_seats(show_id=busy_order.show_id, seat_ids=seat_ids(busy_order.show, "B-1", "B-2"))
    job, refund = Job.objects.get(state="dead"), busy_order.payments.get().refunds.get()
    lines = "&".join(f"line={line.pk}" for line in busy_order.lines.filter(refunded_at=None))
    order = f"/admin/boxoffice/order/{busy_order.pk}"
    addresses = {
        "story": f"{order}/change/", "name": f"{order}/name/", "render": f"{order}/render/",
        "cancel": f"{order}/cancel/", "move": f"{order}/move/", "move-ask": f"{order}/move/?{lines}&to=A 5-6",
        "move-no": f"{order}/move/?{lines}&to=A 99", "job": f"{order}/job/{job.pk}/replay/",
        "paid-out": f"{order}/refund/{refund.pk}/paid-out/", "refund": f"{order}/refund/?{lines}&asked=1",
        "note": f"{order}/note/", "sell-show": "/admin/boxoffice/order/sell/",
        "sell-seats": f"/admin/boxoffice/order/sell/{busy_order.show_id}/",
        "sell": f"/admin/boxoffice/order/sell/hold/{held.pk}/", "orders": "/admin/boxoffice/order/",
        "holds": "/admin/inventory/hold/?in_flight=yes", "hold": f"/admin/inventory/hold/{held.pk}/change/",
        "extend": f"/admin/inventory/hold/{held.pk}/extend/", "release": f"/admin/inventory/hold/{held.pk}/release/",
    }  # fmt: skip
    options = {"viewport": {"width": width, "height": 900}, "timezone_id": "America/New_York"}
    with visiting(**options) as visit:
        bring_session(visit, live_server, session, language=language)
        for name, address in addresses.items():
            look_at(visit, live_server, address, name=f"{name}-{width}-{language}", width=width)
            if name == "story":
                told = visit.page.locator("#reader-time")
                told.wait_for(state="visible")
                assert "America/New_York" in told.inner_text()
                assert visit.page.locator(".timeline .reader").count() > 3
        assert visit.complaints == []
