"""Paying through the real SDK at the real stand-in: the browser that comes back, the webhook, the job."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import stripe
import structlog
from django.db import transaction
from django.test import Client

from boxoffice.models import Order, Payment, ProviderEvent, Refund
from boxoffice.payments import provider
from boxoffice.payments.prune_events import prune_events
from boxoffice.payments.receive_event import QUERIES_TO_RECEIVE
from boxoffice.payments.settle_payment import ask, settle_payment, take_in
from boxoffice.payments.start_payment import start_payment
from inventory.advance_show import advance_show
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_boxoffice import statements
from tests.fixtures_inventory import all_at_once, let_lapse
from tests.fixtures_payments import Payments, Receiver
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.payment_keys import WEBHOOK_SECRET
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def hook(client: Client, body: bytes, secret: str = WEBHOOK_SECRET, age: int = 0) -> int:
    """Send a webhook as the provider signs it."""
    at = int(time.time()) - age
    signed = stripe.WebhookSignature._compute_signature(f"{at}.{body.decode()}", secret)
    headers = {"Stripe-Signature": f"t={at},v1={signed}"}
    return client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers).status_code


def completed(payments: Payments, type: str = "checkout.session.completed") -> bytes:
    """The newest event of that type, as the provider sends it."""
    return json.dumps(payments.events(type=type)[-1].to_dict()).encode()


def run_job() -> None:
    """Do what the waiting job about the payment does."""
    (args,) = set(
        Job.objects.filter(task="boxoffice.settle_payment", state="waiting").values_list("args__payment_id", flat=True)
    )
    settle_payment(payment_id=args)


def sold_once(order: Order) -> bool:
    order.refresh_from_db()
    jobs = Job.objects.filter(task="tickets.issue_tickets", subject=order.subject).count()
    return (order.status, jobs, Ticket.objects.filter(order_id=order.pk).count()) == ("confirmed", 1, 2)


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


def test_a_doubled_and_an_old_event_is_stored_once(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    body = completed(paid_house)
    assert [hook(client, body) for _ in range(3)] == [204, 204, 204]
    assert ProviderEvent.objects.count() == 1
    assert Job.objects.filter(task="boxoffice.settle_payment").count() == 1


def test_an_event_of_a_type_that_we_do_not_know_is_taken_and_ignored(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    pay(paid_house, started_payment)
    jobs = Job.objects.count()
    assert hook(client, completed(paid_house, "payment_intent.succeeded")) == 204
    assert (ProviderEvent.objects.count(), Job.objects.count()) == (1, jobs)


@pytest.mark.parametrize(
    "fault", ["another secret", "too old", "no signature", "letters in the signature", "another body", "not JSON"]
)
def test_a_forged_event_is_refused_and_leaves_nothing(
    client: Client, started_payment: Payment, paid_house: Payments, fault: str
) -> None:
    pay(paid_house, started_payment)
    body = completed(paid_house)
    if fault == "another secret":
        status = hook(client, body, secret="whsec_of_somebody")
    elif fault == "too old":
        status = hook(client, body, age=400)
    elif fault == "no signature":
        status = client.post("/webhooks/stripe/", body, content_type="application/json").status_code
    elif fault == "letters in the signature":
        headers = {"Stripe-Signature": f"t={int(time.time())},v1=é"}
        status = client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers).status_code
    elif fault == "another body":
        headers = {"Stripe-Signature": provider_signature(body)}
        status = client.post(
            "/webhooks/stripe/", body + b" ", content_type="application/json", headers=headers
        ).status_code
    else:
        status = hook(client, b"[1")
    assert status == 400
    assert not ProviderEvent.objects.exists()


@pytest.mark.parametrize(
    "fault",
    [
        {"id": "evt_\x00"},
        {"id": "evt_" + "x" * 252},
        {"id": {"evt": 1}},
        {"type": "checkout.session.completed\x00"},
        {"object": {"metadata": "payment"}},
        {"type": "refund.updated", "object": {"status": "succeeded", "metadata": "refund"}},
        {"type": "refund.updated", "object": {"id": "re_\x00"}},
    ],
    ids=lambda fault: repr(fault)[:60],
)
def test_what_the_provider_signed_and_makes_no_sense_is_logged_and_not_asked_for_again(
    client: Client, db: None, fault: dict[str, Any]
) -> None:
    told = {"object": "event", "id": "evt_1", "type": "checkout.session.completed"} | fault
    event = told | {"object": "event", "data": {"object": fault.get("object", {"metadata": {}})}}
    with structlog.testing.capture_logs() as logs:
        assert hook(client, json.dumps(event).encode()) == 204
    assert [line["event"] for line in logs] == ["malformed_event"]
    assert not ProviderEvent.objects.exists()


@pytest.mark.parametrize("given", ["x" * 500, "\x00", "two words", "", 7, {"a": 1}], ids=lambda given: repr(given)[:12])
@pytest.mark.parametrize("type", ["checkout.session.completed", "refund.updated"])
def test_what_others_on_the_same_account_give_along_is_ignored_without_a_word(
    client: Client, db: None, type: str, given: object
) -> None:
    about = {"id": "re_1", "status": "succeeded", "metadata": {"payment": given, "refund": given}}
    event = {"object": "event", "id": "evt_1", "type": type, "data": {"object": about}}
    with structlog.testing.capture_logs() as logs:
        assert hook(client, json.dumps(event).encode()) == 204
    assert "malformed_event" not in {line["event"] for line in logs}
    assert ProviderEvent.objects.get().event_id == "evt_1"


def provider_signature(body: bytes) -> str:
    at = int(time.time())
    return f"t={at},v1={stripe.WebhookSignature._compute_signature(f'{at}.{body.decode()}', WEBHOOK_SECRET)}"


def test_a_webhook_takes_three_queries_and_asks_nobody_but_postgresql(
    client: Client, started_payment: Payment, paid_house: Payments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libpq has sockets of its own; whatever else a process talks to goes through Python's."""
    pay(paid_house, started_payment)
    body, other = completed(paid_house), completed(paid_house, "payment_intent.succeeded")
    asked: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: asked.append(address))
    with statements() as queries:
        assert hook(client, body) == 204
    assert len(queries) == QUERIES_TO_RECEIVE, "\n".join(queries)
    for known_or_of_no_interest in (body, other):
        with statements() as queries:
            assert hook(client, known_or_of_no_interest) == 204
        assert len(queries) == 1, "\n".join(queries)
    assert asked == []


def test_a_webhook_that_is_too_long_or_no_post_is_refused(client: Client) -> None:
    assert client.post("/webhooks/stripe/", b"x" * 300_000, content_type="application/json").status_code == 413
    assert client.get("/webhooks/stripe/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/webhooks/stripe/", b"{}", "application/json").status_code == 400


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


def test_old_events_are_forgotten_at_night(db: None) -> None:
    for days in (2, 8):
        event = ProviderEvent.objects.create(event_id=f"evt_{days}", type="x")
        ProviderEvent.objects.filter(pk=event.pk).update(received_at=database_now() - timedelta(days=days))
    with transaction.atomic():
        assert prune_events() == 1
    assert ProviderEvent.objects.get().event_id == "evt_2"


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


def test_the_stand_ins_own_webhooks_are_understood(
    client: Client, started_payment: Payment, receiver: Receiver, paid_house: Payments
) -> None:
    paid_house.turn(webhook_copies=2, webhook_reorder_s=0.2)
    pay(paid_house, started_payment)
    receiver.wait_for(8)
    for body, signature in receiver.received:
        headers = {"Stripe-Signature": signature}
        answer = client.post("/webhooks/stripe/", body, content_type="application/json", headers=headers)
        assert answer.status_code == 204
    run_job()
    assert sold_once(started_payment.order)


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
