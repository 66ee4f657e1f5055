"""Whose hold ended, or whose show was called off, before the payment: sold if it can be, else refunded."""

from __future__ import annotations

import pytest
from django.test import Client

from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.settle_payment import settle_payment
from inventory.advance_show import advance_show
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import let_lapse
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.paid_orders import sold_once
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def test_a_hold_that_ended_unpaid_ends_its_session_and_its_order(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    let_lapse(started_payment.order.hold)
    settle_payment(payment_id=started_payment.pk)
    started_payment.refresh_from_db()
    started_payment.order.refresh_from_db()
    assert (started_payment.status, started_payment.order.status) == ("expired", "expired")
    session = paid_house.client().v1.checkout.sessions.retrieve(started_payment.provider_id)
    assert session.status == "expired"
    page = client.get(f"/orders/{started_payment.order.token}/").content.decode()
    assert "nothing was charged" in page
    settle_payment(payment_id=started_payment.pk)
    assert not Refund.objects.exists()


def test_a_job_that_finds_an_open_page_comes_again_when_the_hold_has_ended(started_payment: Payment) -> None:
    Job.objects.filter(task="boxoffice.settle_payment").update(state="done", finished_at="2026-01-01T00:00Z")
    settle_payment(payment_id=started_payment.pk)
    job = Job.objects.get(task="boxoffice.settle_payment", state="waiting")
    assert job.available_at == started_payment.order.hold.expires_at


@pytest.mark.parametrize("end", ["lapsed", "swept", "given back"])
def test_who_paid_too_late_gets_the_same_seats_if_they_are_free(
    client: Client, started_payment: Payment, paid_house: Payments, end: str
) -> None:
    pay(paid_house, started_payment)
    first = started_payment.order.hold_id
    if end == "given back":
        release_hold(token=started_payment.order.hold.token)
    else:
        let_lapse(started_payment.order.hold)
        if end == "swept":
            expire_holds()
    PriceTier.objects.update(price=9900)
    come_back(client, started_payment)
    assert sold_once(started_payment.order)
    order = Order.objects.select_related("hold").get()
    assert order.hold_id != first
    assert (order.hold.status, order.hold.prices) == ("confirmed", [4200, 4200])
    assert Seat.objects.filter(hold=order.hold, status="sold").count() == 2


def test_who_paid_when_somebody_else_has_the_seats_gets_the_money_back_and_a_mail(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    let_lapse(started_payment.order.hold)
    order = started_payment.order
    other = hold_seats(show_id=order.show_id, seat_ids=[order.hold.seat_ids[0]])
    answer = come_back(client, started_payment)
    order.refresh_from_db()
    refund = Refund.objects.get()
    assert (order.status, refund.amount, refund.status) == ("expired", 8400, "planned")
    assert Job.objects.filter(task="boxoffice.send_refund").count() == 1
    mail = Notification.objects.get()
    assert (mail.kind, mail.recipient) == ("paid_too_late", "ada@example.org")
    assert "it goes back to you" in client.get(answer["Location"]).content.decode()
    other.refresh_from_db()
    assert other.status == "active"
    settle_payment(payment_id=started_payment.pk)
    assert (Refund.objects.count(), Notification.objects.count()) == (1, 1)
    assert not Ticket.objects.exists()


def test_a_show_that_was_cancelled_meanwhile_is_refunded_and_not_sold(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    advance_show(show_id=started_payment.order.show_id, to=Show.Status.CANCELLED)
    come_back(client, started_payment)
    started_payment.order.refresh_from_db()
    assert started_payment.order.status == "expired"
    assert Refund.objects.get().amount == 8400
    assert not Ticket.objects.exists()


def test_who_gives_the_seats_back_finds_the_payment_page_closed_soon(client: Client, started_payment: Payment) -> None:
    client.post(f"/holds/{started_payment.order.hold.token}/release/")
    job = Job.objects.get(task="boxoffice.settle_payment")
    assert job.available_at <= database_now()
    settle_payment(payment_id=started_payment.pk)
    started_payment.refresh_from_db()
    assert (started_payment.status, Order.objects.get().status) == ("expired", "expired")


def test_nobody_is_sent_to_pay_for_a_show_that_was_called_off(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    advance_show(show_id=dear_hold.show_id, to=Show.Status.CANCELLED)
    answer = press_pay(client, dear_hold)
    assert answer.status_code == 409
    assert "will not take place, and nothing was sold" in answer.content.decode()
    assert not Payment.objects.exists()


def test_nor_to_a_payment_page_that_was_opened_before(client: Client, started_payment: Payment) -> None:
    advance_show(show_id=started_payment.order.show_id, to=Show.Status.CANCELLED)
    assert press_pay(client, started_payment.order.hold).status_code == 409
    started_payment.refresh_from_db()
    assert started_payment.status == "pending", "the job ends it with the hold"
