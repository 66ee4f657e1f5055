"""Objects carry the fields that the SDK's classes declare, in every state that the stand-in brings them into."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest
import stripe

from tests.declared_types import differences
from tests.fixtures_payments import Payments
from tests.payment_keys import API_KEY

KINDS = {
    "checkout/sessions": stripe.checkout.Session,
    "payment_intents": stripe.PaymentIntent,
    "charges": stripe.Charge,
    "refunds": stripe.Refund,
    "balance_transactions": stripe.BalanceTransaction,
    "payouts": stripe.Payout,
    "events": stripe.Event,
}
EXPANDED = {
    "checkout/sessions": ["line_items", "payment_intent.latest_charge.refunds", "payment_intent.payment_method"],
    "balance_transactions": ["source"],
    "refunds": ["charge.balance_transaction", "payment_method"],
}


def listed(payments: Payments, path: str, *expand: str) -> list[dict[str, Any]]:
    """A list as the JSON that came, before the SDK made objects of it."""
    query = "&".join(["limit=100", *(f"expand[]=data.{name}" for name in expand)])
    request = Request(f"{payments.address}/v1/{path}?{query}", headers={"Authorization": f"Bearer {API_KEY}"})
    with urlopen(request, timeout=10) as answer:
        return json.load(answer)["data"]


@pytest.fixture
def everything(payments: Payments) -> Payments:
    """Payments and refunds in each of their states."""
    payments.turn(settle_after_s=60)
    payments.client().v1.checkout.sessions.expire(payments.open_session().id)
    for card in ("bank_debit", "bank_debit_fails"):
        payments.pay(payments.open_session(payment_method_types=["sepa_debit"]), card)
    for card in ("pays", "three_d_secure", "disputed"):
        payments.paid_session(card, payment_intent_data={"description": "Two seats"})
    for card in ("pays", "refund_pending", "refund_fails"):
        session = payments.paid_session(card)
        payments.client().v1.refunds.create({"payment_intent": str(session.payment_intent), "amount": 100})
    payments.turn(advance_s=61)
    for _ in range(3):  # enough for what the dispute took
        payments.paid_session()
    payments.turn(advance_s=2 * 86_400)
    assert payments.post("payout")["payouts"]
    payments.open_session(customer_email="ada@example.org", submit_type="book", locale="de")
    for card in ("declined", "three_d_secure"):
        payments.pay(payments.open_session(), card)
    session = payments.paid_session("refund_pending")
    payments.client().v1.refunds.create(
        {"payment_intent": str(session.payment_intent), "reason": "requested_by_customer", "metadata": {"refund": "7"}}
    )
    return payments


def test_every_object_is_as_the_sdk_declares_it(everything: Payments) -> None:
    found: list[str] = []
    states: set[tuple[str, Any]] = set()
    for path, kind in KINDS.items():
        for body in [*listed(everything, path), *listed(everything, path, *EXPANDED.get(path, []))]:
            found += differences(body, kind, kind.OBJECT_NAME)
            states.add((kind.OBJECT_NAME, body.get("status")))
    assert sorted(set(found)) == []
    assert states >= {
        *(("checkout.session", status) for status in ("open", "complete", "expired")),
        *(("payment_intent", status) for status in ("succeeded", "requires_action", "requires_payment_method")),
        *(("charge", status) for status in ("succeeded", "failed")),
        *(("refund", status) for status in ("succeeded", "pending", "failed")),
    }


def test_what_an_event_tells_is_as_declared_too(everything: Payments) -> None:
    kinds = {kind.OBJECT_NAME: kind for kind in (*KINDS.values(), stripe.Dispute)}
    found: list[str] = []
    types = set()
    for event in listed(everything, "events"):
        about = event["data"]["object"]
        found += differences(about, kinds[about["object"]], event["type"])
        types.add(event["type"])
    assert sorted(set(found)) == []
    assert types >= {
        "charge.dispute.created",
        "charge.refunded",
        "checkout.session.async_payment_failed",
        "checkout.session.async_payment_succeeded",
        "checkout.session.completed",
        "checkout.session.expired",
        "payment_intent.payment_failed",
        "refund.created",
        "refund.failed",
        "refund.updated",
    }


def test_line_items_prices_and_cards_are_as_declared(everything: Payments) -> None:
    for body in listed(everything, "checkout/sessions"):
        for item in listed(everything, f"checkout/sessions/{body['id']}/line_items"):
            assert list(differences(item, stripe.LineItem, "item")) == []


def test_nothing_of_our_own_is_shown(everything: Payments) -> None:
    for path in KINDS:
        text = json.dumps(listed(everything, path, *EXPANDED.get(path, [])))
        assert '"_' not in text.replace('"_blank', "")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"amount_total": "8400"}, "checkout.session.amount_total is '8400', not int"),
        ({"status": "done"}, "checkout.session.status is 'done', not one of ('complete', 'expired', 'open')"),
        ({"livemode": None}, "checkout.session.livemode is None, not bool"),
        ({"custom_text": {}}, None),
        ({"phone_number_collection": {}}, "checkout.session.phone_number_collection.enabled is missing"),
        ({"colour": "red"}, "checkout.session.colour is not declared"),
        ({"url": ...}, "checkout.session.url is missing"),
    ],
)
def test_the_comparison_finds_what_is_wrong(payments: Payments, change: dict[str, Any], found: str | None) -> None:
    payments.open_session()
    (body,) = listed(payments, "checkout/sessions")
    changed = {name: value for name, value in {**body, **change}.items() if value is not ...}
    assert list(differences(changed, stripe.checkout.Session, "checkout.session")) == ([found] if found else [])
