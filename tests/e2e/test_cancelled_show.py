"""Postponing and cancelling a show in a browser, from the desk to the fan's page, in two languages and widths."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from boxoffice.cancellation import transitions as steps
from boxoffice.cancellation import workflow
from boxoffice.cancellation.balance import TOP_UP
from boxoffice.cancellation.write_off import write_off
from boxoffice.models import Cancellation, Dispute, Order, Payment, Refund
from boxoffice.refunds import transitions
from boxoffice.shows.postpone_show import postpone_and_tell
from inventory.models import Show
from jobs.clock import database_now
from notifications.suppression.suppress_address import suppress_address
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


# What is to be done stands in the last column, and nobody looks for it behind an edge.
NOTHING_IS_CUT_OFF = """() => [...document.querySelectorAll(".cancellation .wide")].every(
    table => table.scrollWidth <= table.clientWidth)"""


@pytest.fixture
def three_sold(make_paid_order: Callable[..., Order]) -> list[Order]:
    """Three paid orders of one show, the last one paid out of a purse; and to its address no bulk mail goes."""
    orders = [make_paid_order() for _ in range(3)]
    Order.objects.filter(pk__in=[order.pk for order in orders]).update(show=orders[0].show_id)
    Payment.objects.filter(order=orders[2]).update(method="cash", provider_id="", intent_id="", page_url="")
    Order.objects.filter(pk=orders[2].pk).update(email="gone@example.org")
    suppress_address(address="gone@example.org", reason="bounced", detail="no such user", notification_id=1)
    return list(Order.objects.select_related("show__venue").order_by("pk"))


def elsewhere(do: Callable[[], object]) -> None:
    """In a thread of its own: while a window is open, this one may not query."""

    def run() -> None:
        try:
            do()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result(60)


def plan_and_pause() -> None:
    """What the jobs of the process do until it waits; and then the balance is too low."""
    cancellation = Cancellation.objects.get()
    while cancellation.phase != "waiting":
        with transaction.atomic():
            workflow.go_on(cancellation_id=cancellation.pk, phase=cancellation.phase, cursor=cancellation.cursor)
        cancellation.refresh_from_db()
    with transaction.atomic():
        steps.pause_for_balance(by="BoxOffice", reason=TOP_UP)


def refuse(order: Order) -> None:
    refund = Refund.objects.filter(payment__order=order).latest("pk")
    transitions.mark_failed(refund_id=refund.pk, failure="refused", code="charge_not_refundable")


def dispute(order: Order) -> None:
    now = database_now()
    payment = Payment.objects.get(order=order)
    Dispute.objects.create(
        payment=payment, provider_id="du_1", status="needs_response", amount=payment.amount, currency=payment.currency,
        opened_at=now, asked_at=now,
    )  # fmt: skip


@pytest.mark.parametrize(("width", "language", "dark"), [(375, "de", True), (1280, "en", False)])
def test_a_show_is_postponed_and_then_cancelled_and_everybody_reads_how_it_stands(
    width: int,
    language: str,
    dark: bool,
    three_sold: list[Order],
    client: Client,
    live_server: LiveServer,
    visiting: Visiting,
) -> None:
    show = Show.objects.get(pk=three_sold[0].show_id)
    until = show.starts_at
    postpone_and_tell(show_id=show.pk, seen=show.version, by="anna", reason="the singer is ill", refund_until=until)
    client.force_login(get_user_model().objects.create_superuser("operator", password="a long pass phrase"))
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    scheme = "dark" if dark else "light"
    with visiting(viewport={"width": width, "height": 900}, color_scheme=scheme) as visit:
        visit.context.add_cookies(
            [
                {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url},
                {"name": "django_language", "value": language, "url": live_server.url},
            ]
        )
        page = visit.page

        def look(name: str, address: str = "") -> None:
            if address:
                page.goto(f"{live_server.url}{address}")
            if shots := os.environ.get("SHOTS"):
                page.screenshot(path=f"{shots}/{name}-{width}-{language}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") == width, name
            assert page.evaluate(NOTHING_IS_CUT_OFF), name

        first, second, third = three_sold
        look("fan-postponed", reverse("order", args=[first.token]))
        look("fan-money-back", reverse("money_back", args=[first.token]))
        page.locator("form[data-once] button").click()
        page.wait_for_selector(".notice.good")
        look("fan-given-back")
        look("show-postponed", reverse("show", args=[show.slug]))
        look("desk-show-postponed", reverse("admin:inventory_show_change", args=[show.pk]))
        look("desk-money-back", reverse("admin:inventory_show_money_back", args=[show.pk]))
        look("desk-put-on-sale", reverse("admin:inventory_show_sale", args=[show.pk]))

        look("desk-cancel", reverse("admin:inventory_show_cancel", args=[show.pk]))
        page.fill("[name=name]", show.title)
        page.fill("[name=reason]", "the hall is under water")
        page.locator("input[type=submit].default").click()
        page.wait_for_selector(".cancellation")
        look("desk-planning")
        elsewhere(plan_and_pause)
        look("desk-balance", reverse("admin:inventory_show_cancellation", args=[show.pk]))
        page.locator(".ledger-note a.button").click()
        page.locator("input[type=submit].default").click()
        page.wait_for_selector(".cancellation")
        elsewhere(lambda: refuse(second))
        # The page keeps itself fresh, with no press of anybody.
        page.wait_for_selector(f"text={second.code}", timeout=15_000)
        look("desk-failed")
        with page.expect_download() as paper:
            page.locator(".downloads a").nth(1).click()
        assert paper.value.suggested_filename.endswith(".pdf")
        if shots := os.environ.get("SHOTS"):
            paper.value.save_as(f"{shots}/report-{language}.pdf")
        look("fan-cancelled", reverse("order", args=[second.token]))
        elsewhere(lambda: dispute(second))
        look("fan-disputed", reverse("order", args=[second.token]))
        look("desk-disputed", reverse("admin:boxoffice_order_change", args=[second.pk]))
        elsewhere(lambda: Dispute.objects.all().delete())
        elsewhere(lambda: write_off(order_id=second.pk, by="finn", reason="the card is closed"))
        look("fan-written-off", reverse("order", args=[second.token]))
        look("fan-at-the-counter", reverse("order", args=[third.token]))
        look("show-cancelled", reverse("show", args=[show.slug]))
        assert visit.complaints == []
