"""Paying through the real SDK at the real stand-in: the browser that comes back, the webhook, the job."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.models import Order, Payment, Refund
from boxoffice.payments import provider
from boxoffice.payments.settle_payment import ask, settle_payment, take_in
from boxoffice.payments.start_payment import start_payment
from inventory.models import Hold, PriceTier
from jobs.models import Job
from tests.fixtures_inventory import all_at_once, let_lapse
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.paid_orders import completed, hook, run_job, sold_once
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def test_pressing_pay_leads_to_the_payment_page_and_nothing_is_sold_yet(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    answer = press_pay(client, dear_hold)
    payment = Payment.objects.get()
    assert answer.status_code == 303
    assert answer["Location"] == payment.page_url == f"{paid_house.address}/c/pay/{payment.provider_id}"
    assert (payment.status, payment.amount, payment.currency) == ("pending", 8400, "EUR")
    assert payment.order.status == "pending_payment"
    assert not Ticket.objects.exists()
    session = paid_house.client().v1.checkout.sessions.retrieve(payment.provider_id)
    assert (session.amount_total, session.currency, session.customer_email) == (8400, "eur", "ada@example.org")
    assert session.client_reference_id == payment.order.code


def test_the_browser_that_comes_back_reads_confirmed_and_the_webhook_changes_nothing(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    answer = come_back(client, started_payment)
    assert (answer.status_code, answer["Location"]) == (303, f"/orders/{started_payment.order.token}/")
    assert "Confirmed" in client.get(answer["Location"]).content.decode()
    assert hook(client, completed(paid_house)) == 204
    settle_payment(payment_id=started_payment.pk)
    assert sold_once(started_payment.order)


def test_the_webhook_alone_is_enough_for_who_closed_the_browser_and_coming_back_later_changes_nothing(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    assert hook(client, completed(paid_house)) == 204
    job = Job.objects.get(task="boxoffice.settle_payment")
    assert (job.queue, job.gate, job.subject) == ("payments", "ready", started_payment.order.subject)
    run_job()
    assert sold_once(started_payment.order)
    assert come_back(client, started_payment).status_code == 303
    assert sold_once(started_payment.order)


def test_without_browser_and_webhook_the_job_asks_shortly_before_the_hold_ends(
    started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    job = Job.objects.get(task="boxoffice.settle_payment")
    assert job.available_at == started_payment.order.hold.expires_at - timedelta(minutes=1)
    run_job()
    assert sold_once(started_payment.order)


def test_pressing_pay_twice_or_in_two_tabs_leads_to_one_session(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    first, second = press_pay(client, dear_hold), press_pay(Client(), dear_hold)
    assert first["Location"] == second["Location"]
    assert Payment.objects.count() == 1


def test_pressing_pay_again_after_paying_leads_to_the_order_and_charges_once(
    client: Client, dear_hold: Hold, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    answer = press_pay(client, dear_hold)
    assert answer["Location"] == f"/orders/{started_payment.order.token}/"
    assert sold_once(started_payment.order)
    assert Payment.objects.count() == 1


def test_a_session_that_was_ended_elsewhere_is_followed_by_a_new_attempt(
    client: Client, dear_hold: Hold, started_payment: Payment, paid_house: Payments
) -> None:
    paid_house.client().v1.checkout.sessions.expire(started_payment.provider_id)
    answer = press_pay(client, dear_hold)
    first, second = Payment.objects.order_by("pk")
    assert (first.status, second.status) == ("expired", "pending")
    assert first.idempotency_key != second.idempotency_key
    assert answer["Location"] == second.page_url


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(lose_answers=1, lose_answers_by="close")
    answer = press_pay(client, dear_hold)
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "The payment provider does not answer." in page
    assert "Pay 84.00" in page
    assert Payment.objects.get().status == "created"
    # Even what was corrected meanwhile does not make another request of it.
    again = press_pay(client, dear_hold, email="ada.lovelace@example.org")
    assert again.status_code == 303
    assert len(list(paid_house.client().v1.checkout.sessions.list().data)) == 1
    assert Payment.objects.get().order.email == "ada.lovelace@example.org"


def test_the_job_finds_a_session_whose_making_was_never_answered(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(lose_answers=1, lose_answers_by="close")
    press_pay(client, dear_hold)
    (session,) = paid_house.client().v1.checkout.sessions.list().data
    paid_house.post("pay", session=session.id)
    run_job()
    assert sold_once(Order.objects.get())


def test_a_provider_that_is_away_is_said_at_once_and_the_return_page_asks_again(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    paid_house.turn(fail_next=1)
    page = come_back(client, started_payment)
    assert page.status_code == 200
    assert "We are asking the payment provider" in page.content.decode()
    assert come_back(client, started_payment).status_code == 303
    assert sold_once(started_payment.order)


def test_a_declined_card_leaves_the_page_open_for_another_one(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    assert pay(paid_house, started_payment, "declined")["state"] == "declined"
    settle_payment(payment_id=started_payment.pk)
    assert pay(paid_house, started_payment, "three_d_secure", agrees=True)["state"] == "paid"
    come_back(client, started_payment)
    assert sold_once(started_payment.order)


def test_the_price_that_counts_is_the_one_in_the_hold(client: Client, dear_hold: Hold, paid_house: Payments) -> None:
    PriceTier.objects.update(price=1)
    assert "Pay 84.00" in client.get(f"/holds/{dear_hold.token}/").content.decode()
    press_pay(client, dear_hold)
    payment = Payment.objects.get()
    assert payment.amount == payment.order.total == 8400
    assert set(payment.order.lines.values_list("price", flat=True)) == {4200}


@pytest.mark.parametrize(
    ("currency", "price", "at_the_provider"), [("JPY", 1500, 3000), ("ISK", 5000, 1_000_000), ("KWD", 12_340, 24_680)]
)
def test_currencies_with_no_or_three_decimals_are_charged_right_and_sold(
    client: Client,
    make_hold: Callable[..., Hold],
    paid_house: Payments,
    currency: str,
    price: int,
    at_the_provider: int,
) -> None:
    hold = make_hold(currency=currency, prices={"Front": price, "House": price})
    press_pay(client, hold)
    payment = Payment.objects.select_related("order").get()
    session = paid_house.client().v1.checkout.sessions.retrieve(payment.provider_id)
    assert (session.amount_total, session.currency, payment.amount) == (at_the_provider, currency.lower(), 2 * price)
    pay(paid_house, payment)
    come_back(client, payment)
    assert sold_once(payment.order)


def test_a_price_that_the_provider_cannot_charge_says_so_and_creates_no_attempt(
    client: Client, make_hold: Callable[..., Hold], paid_house: Payments
) -> None:
    answer = press_pay(client, make_hold(currency="KWD", prices={"Front": 12_345, "House": 0}))
    assert answer.status_code == 409
    assert "cannot charge this amount" in answer.content.decode()
    assert not Payment.objects.exists()


def test_coming_back_unpaid_finds_the_form_as_it_was_typed(client: Client, started_payment: Payment) -> None:
    page = client.get(f"/holds/{started_payment.order.hold.token}/?unpaid=1").content.decode()
    assert "You have not paid yet" in page
    assert 'value="Ada Lovelace"' in page


def test_a_session_of_somebody_else_asks_nobody(client: Client, started_payment: Payment, paid_house: Payments) -> None:
    paid_house.turn(fail_next=1)
    answer = client.get(f"/orders/{started_payment.order.token}/paid/?session=cs_test_other")
    assert answer.status_code == 303
    assert client.get("/orders/unknown/paid/?session=x").status_code == 404


@pytest.mark.parametrize("query", ["", "?session="])
def test_no_session_asks_nobody_even_while_nobody_knows_what_ours_is_called(
    client: Client, started_payment: Payment, paid_house: Payments, query: str
) -> None:
    Payment.objects.update(status="created", provider_id="", page_url="")  # its making was not answered
    paid_house.turn(fail_next=1)  # whoever asks hears of it, and the page says to wait
    assert client.get(f"/orders/{started_payment.order.token}/paid/{query}").status_code == 303


@pytest.mark.django_db(transaction=True)
def test_return_page_and_job_and_webhook_at_once_sell_once(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    body = completed(paid_house)
    calls: list[Callable[[], Any]] = [
        lambda: come_back(Client(), started_payment).status_code,
        lambda: settle_payment(payment_id=started_payment.pk),
        lambda: hook(Client(), body),
        lambda: come_back(Client(), started_payment).status_code,
    ]
    outcomes = all_at_once(calls, threads=4)
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    assert sold_once(started_payment.order)


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_press_pay_at_once_get_one_session(dear_order: Order, paid_house: Payments) -> None:
    urls = all_at_once([lambda: start_payment(order_id=dear_order.pk)] * 2, threads=2)
    assert Payment.objects.count() == 1
    # One of the two may hear that the first request with this key is still under way.
    assert len({url for url in urls if isinstance(url, str)}) == 1
    assert start_payment(order_id=dear_order.pk) == Payment.objects.get().page_url


def test_a_late_answer_about_a_settled_payment_changes_nothing(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    early = ask(payment_id=started_payment.pk)
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    assert early is not None
    with transaction.atomic():
        take_in(payment_id=started_payment.pk, answer=early)
    assert sold_once(started_payment.order)
    assert provider.retrieve_session(session_id=started_payment.provider_id).state == "paid"


def test_who_pays_twice_keeps_one_order_and_gets_the_second_payment_back(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    # As when staff make a second attempt by hand: the database allows one open attempt at a time.
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    session = paid_house.open_session(metadata={"payment": "second"}, client_reference_id="x")
    second = Payment.objects.create(
        order=started_payment.order, amount=8400, currency="EUR", idempotency_key="second", provider_id=session.id
    )
    pay(paid_house, second)
    settle_payment(payment_id=second.pk)
    assert sold_once(started_payment.order)
    assert Refund.objects.get().payment_id == second.pk


def test_an_order_without_a_hold_that_lasts_cannot_be_paid(client: Client, dear_order: Order) -> None:
    let_lapse(dear_order.hold)
    answer = press_pay(client, dear_order.hold)
    assert answer.status_code == 410
    assert not Payment.objects.exists()
