"""What the desk shows of a dispute, and what it keeps people from doing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from boxoffice.attention.kinds import DISPUTES
from boxoffice.disputes.dashboard import dashboard_page
from boxoffice.disputes.release_seats import release_seats
from boxoffice.disputes.take_dispute import take_dispute
from boxoffice.models import Dispute, Order, OrderAction, OrderLine, Refund
from boxoffice.refunds.errors import NothingToRefund, PaymentDisputed
from boxoffice.refunds.refund_order import refund_order
from inventory.models import Seat
from jobs.clock import DatabaseNow
from notifications.models import Notification
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_staff import staff_with
from tests.query_plans import plan_for_a_large_table
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def page_of(client: Client, order: Order, page: str = "change/") -> str:
    return client.get(f"/admin/boxoffice/order/{order.pk}/{page}", follow=True).content.decode()


def test_an_open_dispute_stands_on_top_of_its_order_with_the_day_and_the_providers_page(
    staff: Client, paid_order: Order, refund_provider: Payments, dispute: Callable[..., str]
) -> None:
    found = dispute()
    page = page_of(staff, paid_order)
    assert (
        "The payment of 84.00\N{NO-BREAK SPACE}€ is disputed: the cardholder says that somebody else paid it." in page
    )
    assert "Answer on the payment provider&#x27;s page by" in page
    assert f"{refund_provider.address}/disputes/{found}" in page
    assert "Dispute of 84.00" in page
    assert "should be impossible" not in page


@pytest.mark.parametrize("page", ["refund/", "cancel/"])
def test_who_wants_to_refund_a_disputed_payment_is_told_before_that_it_cannot_be(
    staff: Client, paid_order: Order, dispute: Callable[..., str], page: str
) -> None:
    dispute()
    assert "the payment provider refunds nothing of it" in page_of(staff, paid_order, page)
    with pytest.raises(PaymentDisputed):
        refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    assert not Refund.objects.exists()
    paid_order.refresh_from_db()
    assert paid_order.status == "confirmed"


def test_nobody_is_offered_to_refund_or_cancel_what_the_bank_has_and_everybody_is_again_once_it_is_won(
    staff: Client, paid_order: Order, dispute: Callable[..., str], refund_provider: Payments
) -> None:
    ways = [f"/admin/boxoffice/order/{paid_order.pk}/{page}/" for page in ("refund", "cancel")]
    assert all(way in page_of(staff, paid_order) for way in ways)
    found = dispute()
    page = page_of(staff, paid_order)
    assert not any(way in page for way in ways)
    assert "none of it can be refunded" in page
    refund_provider.post("dispute", id=found, status="won")
    take_dispute(provider_id=found)
    assert all(way in page_of(staff, paid_order) for way in ways)


def test_a_dispute_needs_attention_while_it_waits_for_us_and_whoever_settled_it_is_asked_again_when_it_changes(
    client: Client, paid_order: Order, dispute: Callable[..., str], refund_provider: Payments
) -> None:
    found = dispute(inquiry=True)
    finance = staff_with(client, "view_attention", "take_attention", "view_dispute", "view_order")
    listed = finance.get("/admin/boxoffice/attention/").content.decode()
    assert "asks about the payment of 84.00" in listed
    key = Dispute.objects.get().pk
    finance.post("/admin/boxoffice/attention/settle/", {"kind": "disputes", "key": key, "reason": "she rang"})
    assert "asks about" not in finance.get("/admin/boxoffice/attention/").content.decode()
    refund_provider.post("dispute", id=found, status="needs_response")
    take_dispute(provider_id=found)
    assert "is disputed" in finance.get("/admin/boxoffice/attention/").content.decode()
    refund_provider.post("dispute", id=found, status="under_review")
    take_dispute(provider_id=found)
    assert "is disputed" not in finance.get("/admin/boxoffice/attention/").content.decode()


@pytest.mark.parametrize("is_inquiry", [True, False])
def test_what_is_asked_about_money_that_all_went_back_is_settled_and_a_dispute_of_it_is_to_be_answered_with_that(
    is_inquiry: bool, staff: Client, paid_order: Order, dispute: Callable[..., str]
) -> None:
    dispute(inquiry=True) if is_inquiry else dispute()
    refund = Refund.objects.create(
        payment=paid_order.payments.get(), amount=8_400, currency="EUR", status="pending", idempotency_key="all of it"
    )
    attention = "/admin/boxoffice/attention/"
    assert "All of it was given back" not in page_of(staff, paid_order)
    assert f"/order/{paid_order.pk}/change/" in staff.get(attention).content.decode()
    Refund.objects.filter(pk=refund.pk).update(status="succeeded", settled_at=DatabaseNow())
    page, listed = page_of(staff, paid_order), staff.get(attention).content.decode()
    words = "which ends the matter" if is_inquiry else "show the bank that refund, or the money goes back twice"
    assert words in page
    assert "To give the money back ends the matter, too" not in page
    assert (f"/order/{paid_order.pk}/change/" in listed) is not is_inquiry
    assert (words in listed) is not is_inquiry


def test_disputes_that_wait_for_us_are_read_by_their_own_index() -> None:
    assert "dispute_waits_for_us" in plan_for_a_large_table(DISPUTES, table="boxoffice_dispute")


def test_orders_are_listed_by_how_their_dispute_stands(
    staff: Client, paid_order: Order, dispute: Callable[..., str]
) -> None:
    dispute("lost")
    for state, is_listed in (("lost", True), ("open", False), ("won", False)):
        page = staff.get("/admin/boxoffice/order/", {"dispute": state}).content.decode()
        assert (f"/order/{paid_order.pk}/change/" in page) == is_listed


def test_the_seats_of_a_lost_dispute_are_sold_again_without_a_refund_and_without_a_mail(
    staff: Client, paid_order: Order, dispute: Callable[..., str], refund_provider: Payments
) -> None:
    found = dispute("lost")
    assert "Put the seats back on sale" in page_of(staff, paid_order, "release/")
    staff.post(f"/admin/boxoffice/order/{paid_order.pk}/release/", {"reason": "the show is full"})
    paid_order.refresh_from_db()
    assert paid_order.status == "refunded"
    assert not Refund.objects.exists()
    assert not Notification.objects.filter(kind="refund_done").exists()
    assert OrderAction.objects.get().action == "cancel"
    seats = OrderLine.objects.filter(order=paid_order).values("seat")
    assert set(Seat.objects.filter(pk__in=seats).values_list("status", flat=True)) == {"available"}
    refund_provider.post("dispute", id=found, status="won")
    take_dispute(provider_id=found)
    assert set(Ticket.objects.values_list("status", flat=True)) == {"void"}
    assert page_of(staff, paid_order)


def test_seats_are_not_sold_again_while_the_bank_decides(paid_order: Order, dispute: Callable[..., str]) -> None:
    dispute("under_review")
    with pytest.raises(NothingToRefund):
        release_seats(order_id=paid_order.pk, **WHO_AND_WHY)


def test_the_page_at_the_provider_is_that_of_the_account_that_is_used(settings: Any) -> None:
    settings.STRIPE_API_BASE, settings.STRIPE_API_KEY = "https://api.stripe.com", "sk_live_0123456789"
    assert dashboard_page(provider_id="du_1") == "https://dashboard.stripe.com/disputes/du_1"
    settings.STRIPE_API_KEY = "rk_test_0123456789"
    assert dashboard_page(provider_id="du_1") == "https://dashboard.stripe.com/test/disputes/du_1"
