"""A fan in a browser pays on the payment page and comes back to the tickets."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from inventory.hold_seats import hold_seats
from inventory.models import Show
from tests.fixtures_inventory import seat_ids
from tests.fixtures_jobs import broker_url, environment
from tests.fixtures_payments import Payments
from tests.fixtures_storefront import Visiting, answers
from tests.ports import free_ports
from tests.processes import Process, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [375, 1280])
def test_a_fan_pays_on_the_payment_page_and_reads_confirmed(
    make_show: Callable[..., Show], payments: Payments, visiting: Visiting, width: int
) -> None:
    show = make_show(prices={"Front": 4200, "House": 1200})
    hold = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-1", "A-2"))
    (port,) = free_ports(1)
    site = f"http://127.0.0.1:{port}"
    variables = environment(broker_url("redis")) | {"PUBLIC_URL": site, "STRIPE_API_BASE": payments.address}
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    web = Process("web", [*command, "--no-ws", "config.wsgi:application"], variables, ready="Started worker")
    try:
        web.wait_until_ready()
        wait_for(lambda: answers(port), what="the web server listens")
        with visiting(viewport={"width": width, "height": 800}) as visit:
            page = visit.page
            page.goto(f"{site}/holds/{hold.token}/")
            page.get_by_label("Name").fill("Ada Lovelace")
            page.get_by_label("E-mail").fill("ada@example.org")
            page.get_by_role("button", name="Pay 84.00").click()
            page.wait_for_url(f"{payments.address}/**")
            page.go_back()
            page.goto(f"{site}/holds/{hold.token}/?unpaid=1")
            expect(page.get_by_text("You have not paid yet")).to_be_visible()
            _look(page, f"unpaid-{width}")
            page.get_by_role("button", name="Pay 84.00").press("Enter")
            page.wait_for_url(f"{payments.address}/**")
            payments.turn(fail_next=1)
            page.get_by_role("button", name="Pay").press("Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text("We are asking the payment provider …")
            _look(page, f"asking-{width}")
            # By itself, without any doing of the fan:
            expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed", timeout=20_000)
            _look(page, f"confirmed-{width}")
            assert visit.complaints == []
    finally:
        web.kill()
        print("".join(web.output[-40:]))  # noqa: T201 - pytest shows it for a test that failed


def _look(page: object, name: str) -> None:
    """Keep a picture where SCREENSHOTS names a folder for it."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)  # type: ignore[attr-defined]
