"""Checkout Sessions through the real SDK: created, paid, declined, expired, listed."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.error import HTTPError

import pytest
import stripe

from tests.fixtures_payments import Payments, an_order


def test_an_open_session_tells_what_is_to_be_paid_and_where(payments: Payments) -> None:
    session = payments.open_session(customer_email="ada@example.org", locale="de")
    assert session.status == "open"
    assert session.payment_status == "unpaid"
    assert session.payment_intent is None  # made when somebody pays
    assert (session.amount_total, session.currency) == (8_400, "eur")
    assert session.url == f"{payments.address}/c/pay/{session.id}"
    assert (session.client_reference_id, session.customer_email, session.locale) == ("order-1", "ada@example.org", "de")
    assert session.metadata is not None
    assert session.metadata["order"] == "1"
    assert session.expires_at - session.created == 24 * 3600


def test_a_paid_session_is_complete_and_its_charge_brought_money(payments: Payments) -> None:
    session = payments.open_session()
    assert payments.pay(session)["state"] == "paid"
    paid: Any = payments.client().v1.checkout.sessions.retrieve(
        session.id, {"expand": ["payment_intent.latest_charge.balance_transaction", "line_items"]}
    )
    assert (paid.status, paid.payment_status, paid.url) == ("complete", "paid", None)
    intent = paid.payment_intent
    assert (intent.status, intent.amount_received) == ("succeeded", 8_400)
    assert intent.metadata["order"] == "1"
    charge = intent.latest_charge
    assert (charge.paid, charge.captured, charge.metadata["order"]) == (True, True, "1")
    money = charge.balance_transaction
    assert (money.amount, money.fee, money.net, money.reporting_category) == (8_400, 151, 8_249, "charge")
    assert [(item.description, item.quantity) for item in paid.line_items.data] == [("Hamlet, row A", 2)]
    assert [event.type for event in payments.events()] == [
        "payment_intent.created",
        "charge.succeeded",
        "payment_intent.succeeded",
        "checkout.session.completed",
    ]


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("declined", "card_declined", "generic_decline"),
        ("insufficient_funds", "card_declined", "insufficient_funds"),
        ("expired", "expired_card", "expired_card"),
    ],
)
def test_a_declined_card_leaves_the_session_open_for_another(
    payments: Payments, card: str, code: str, decline_code: str
) -> None:
    session = payments.open_session()
    assert payments.pay(session, card)["state"] == "declined"
    tried: Any = payments.client().v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (tried.status, tried.payment_status) == ("open", "unpaid")
    assert tried.payment_intent.status == "requires_payment_method"
    error = tried.payment_intent.last_payment_error
    assert (error.code, error.decline_code) == (code, decline_code)
    assert payments.pay(session)["state"] == "paid"
    paid: Any = payments.client().v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert paid.payment_intent.id == tried.payment_intent.id
    assert paid.payment_intent.last_payment_error is None


def test_three_d_secure_pays_only_once_the_owner_agreed(payments: Payments) -> None:
    session = payments.open_session()
    assert payments.pay(session, "three_d_secure")["state"] == "authenticate"
    waiting: Any = payments.client().v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert waiting.status == "open"
    assert waiting.payment_intent.status == "requires_action"
    assert waiting.payment_intent.next_action.redirect_to_url.url == f"{session.url}/3d-secure"
    assert payments.pay(session, "three_d_secure", agrees=False)["state"] == "declined"
    assert payments.pay(session, "three_d_secure", agrees=True)["state"] == "paid"
    types = [event.type for event in payments.events()]
    assert types.count("payment_intent.requires_action") == 3
    assert types.count("payment_intent.payment_failed") == 1
    assert types[-1] == "checkout.session.completed"


def test_an_expired_session_takes_no_money_and_cancels_its_payment(payments: Payments) -> None:
    session = payments.open_session()
    payments.pay(session, "declined")
    expired = payments.client().v1.checkout.sessions.expire(session.id)
    assert (expired.status, expired.url) == ("expired", None)
    intent = payments.client().v1.payment_intents.retrieve(str(expired.payment_intent))
    assert (intent.status, intent.cancellation_reason) == ("canceled", "expired")
    with pytest.raises(Exception, match="422"):
        payments.pay(session)
    assert [event.type for event in payments.events()][-2:] == ["payment_intent.canceled", "checkout.session.expired"]


@pytest.mark.parametrize("state", ["complete", "expired"])
def test_only_an_open_session_can_be_expired(payments: Payments, state: str) -> None:
    session = payments.open_session()
    if state == "complete":
        payments.pay(session)
    else:
        payments.client().v1.checkout.sessions.expire(session.id)
    with pytest.raises(stripe.InvalidRequestError, match=f"has a status of `{state}`"):
        payments.client().v1.checkout.sessions.expire(session.id)


def test_a_session_expires_by_itself_when_its_time_has_come(payments: Payments) -> None:
    session = payments.open_session(expires_at=int(time.time()) + 31 * 60)
    payments.turn(advance_s=32 * 60)
    assert payments.client().v1.checkout.sessions.retrieve(session.id).status == "expired"
    assert [event.type for event in payments.events()] == ["checkout.session.expired"]


def test_a_bank_debit_completes_the_session_before_its_money_comes(payments: Payments) -> None:
    payments.turn(settle_after_s=86_400)
    session = payments.open_session(payment_method_types=["card", "sepa_debit"])
    assert payments.pay(session, "bank_debit")["state"] == "processing"
    waiting: Any = payments.client().v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (waiting.status, waiting.payment_status, waiting.payment_intent.status) == (
        "complete",
        "unpaid",
        "processing",
    )
    payments.turn(advance_s=86_400)
    assert payments.client().v1.checkout.sessions.retrieve(session.id).payment_status == "paid"
    assert payments.events()[-1].type == "checkout.session.async_payment_succeeded"


def test_a_bank_debit_can_fail_after_the_session_is_complete(payments: Payments) -> None:
    payments.turn(settle_after_s=0)
    session = payments.open_session(payment_method_types=["sepa_debit"])
    payments.pay(session, "bank_debit_fails")
    (charge,) = payments.client().v1.charges.list().data
    assert payments.post("settle", id=charge.id) == {"status": "failed"}
    failed: Any = payments.client().v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (failed.payment_status, failed.payment_intent.status) == ("unpaid", "requires_payment_method")
    assert payments.events()[-1].type == "checkout.session.async_payment_failed"


def test_sessions_are_listed_newest_first_and_narrowed(payments: Payments) -> None:
    sessions = [payments.open_session(customer_email=f"{name}@example.org") for name in ("ada", "alan", "grace")]
    payments.pay(sessions[1])
    api = payments.client().v1.checkout.sessions
    assert [session.id for session in api.list().data] == [session.id for session in sessions[::-1]]
    assert [session.id for session in api.list({"status": "complete"}).data] == [sessions[1].id]
    paid = api.retrieve(sessions[1].id)
    assert [one.id for one in api.list({"payment_intent": str(paid.payment_intent)}).data] == [paid.id]
    assert [one.id for one in api.list({"customer_details": {"email": "grace@example.org"}}).data] == [sessions[2].id]


def test_line_items_are_paged_in_their_order(payments: Payments) -> None:
    order = an_order()
    names = [f"Seat {number}" for number in range(12)]
    order["line_items"] = [
        {
            "price_data": {"currency": "eur", "unit_amount": 100, "product_data": {"name": name}},
            "quantity": 1,
        }
        for name in names
    ]
    session = payments.client().v1.checkout.sessions.create(order)  # type: ignore[arg-type]
    items = payments.client().v1.checkout.sessions.line_items.list(session.id, {"limit": 5})
    assert items.has_more
    assert [item.description for item in items.auto_paging_iter()] == names


def test_of_many_who_pay_at_once_one_is_charged(payments: Payments) -> None:
    session = payments.open_session()
    meet = threading.Barrier(8)

    def pay() -> str:
        meet.wait(10)
        try:
            return payments.pay(session)["state"]
        except HTTPError as error:
            return str(error.code)

    with ThreadPoolExecutor(8) as pool:
        answers = [one.result(60) for one in [pool.submit(pay) for _ in range(8)]]
    assert sorted(answers) == ["422"] * 7 + ["paid"]
    assert len(payments.client().v1.charges.list().data) == 1
