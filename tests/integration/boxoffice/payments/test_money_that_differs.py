"""Money that is not what was asked for buys nothing, is shown to staff, and goes back by a job; one mail says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.settle_payment import settle_payment
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.problems import find_problems
from boxoffice.write_message import written
from inventory.models import Hold
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.fixtures_refunds import money_back
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def tampered(client: Client, paid_house: Payments, payment: Payment, **price: Any) -> Payment:
    """The fan has paid another session that carries the attempt's key, made with the shop's own API key."""
    item = {"currency": "eur", "unit_amount": 100, "product_data": {"name": "Hamlet"}, **price}
    session = paid_house.open_session(
        line_items=[{"price_data": item, "quantity": 1}], metadata={"payment": payment.idempotency_key}
    )
    Payment.objects.filter(pk=payment.pk).update(provider_id=session.id)
    payment.refresh_from_db()
    pay(paid_house, payment)
    return payment


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("price", "taken", "in_words"),
    [
        ({}, (100, "EUR"), "1.00\N{NO-BREAK SPACE}€"),
        ({"unit_amount": 8400, "currency": "usd"}, (8400, "USD"), "$84.00"),
        ({"unit_amount": 500_000, "currency": "isk"}, (5000, "ISK"), "5,000\N{NO-BREAK SPACE}ISK"),
    ],
    ids=["less", "another currency", "a currency written with two decimals"],
)
def test_another_sum_is_never_confirmed_is_shown_to_staff_and_goes_back_by_job(
    client: Client,
    admin_client: Client,
    started_payment: Payment,
    paid_house: Payments,
    send: Callable[..., Job],
    price: dict[str, Any],
    taken: tuple[int, str],
    in_words: str,
) -> None:
    payment = tampered(client, paid_house, started_payment, **price)
    answer = come_back(client, payment)
    settle_payment(payment_id=payment.pk)
    payment.refresh_from_db()
    assert (payment.status, payment.amount, payment.currency) == ("succeeded", *taken)
    order = Order.objects.select_related("show__venue", "hold").get()
    assert order.status == "expired"
    assert not Ticket.objects.exists()
    (problem, *_) = find_problems(gather_facts(order=order))
    assert problem.needs_a_human
    assert "was asked for 84.00\N{NO-BREAK SPACE}€" in problem.what
    assert order.code in admin_client.get("/admin/boxoffice/order/?attention=needed").content.decode()
    assert "it goes back to you" in client.get(answer["Location"]).content.decode()

    refund = Refund.objects.get()
    assert (refund.amount, refund.currency, refund.status) == (*taken, "planned")
    assert send().state == "done"
    assert money_back(paid_house) == [price.get("unit_amount", 100)]
    order.refresh_from_db()
    assert order.status == "refunded"
    mail = Notification.objects.get()  # one, and none more when the money has left
    assert mail.kind == "paid_too_late"
    text = written(notification=mail).text
    assert "is not the price of your seats" in text
    assert in_words in text


def test_money_of_which_nobody_can_tell_what_it_was_for_is_left_to_staff(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    session = paid_house.open_session(metadata={"payment": "of somebody else"})
    Payment.objects.update(provider_id=session.id)
    started_payment.refresh_from_db()
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    payment = Payment.objects.select_related("order").get()
    assert (payment.status, payment.order.status) == ("failed", "pending_payment")
    assert not Refund.objects.exists()
    order = Order.objects.select_related("show__venue", "hold").get()
    (problem,) = find_problems(gather_facts(order=order))
    assert problem.needs_a_human
    assert session.id in problem.what


def test_the_fan_cannot_choose_what_to_pay(client: Client, dear_hold: Hold, paid_house: Payments) -> None:
    press_pay(client, dear_hold, total="1", amount="1", price="1", currency="JPY")
    session = paid_house.client().v1.checkout.sessions.retrieve(Payment.objects.get().provider_id)
    assert (session.amount_total, session.currency) == (8400, "eur")


def test_the_mail_about_a_second_payment_names_its_sum_in_the_fans_language(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    session = paid_house.open_session(metadata={"payment": "second"})
    order = started_payment.order
    second = Payment.objects.create(
        order=order, amount=8400, currency="EUR", idempotency_key="second", provider_id=session.id
    )
    pay(paid_house, second)
    settle_payment(payment_id=second.pk)
    mail = Notification.objects.get(kind="paid_too_late")
    mail.language = "de"
    text = written(notification=mail).text
    assert "zweimal bezahlt" in text
    assert "84,00" in text
