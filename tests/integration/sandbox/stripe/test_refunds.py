"""Refunds and the balance through the real SDK."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import stripe

from tests.fixtures_payments import Payments


@pytest.fixture
def intent(payments: Payments) -> str:
    """A payment of 84.00 EUR that succeeded."""
    return str(payments.paid_session().payment_intent)


def refused(payments: Payments, **parameters: Any) -> tuple[int | None, str | None]:
    with pytest.raises(stripe.InvalidRequestError) as error:
        payments.client().v1.refunds.create(parameters)  # type: ignore[arg-type]
    return error.value.http_status, error.value.code


def test_parts_are_refunded_until_nothing_is_left(payments: Payments, intent: str) -> None:
    api = payments.client().v1
    first = api.refunds.create({"payment_intent": intent, "amount": 4_200, "metadata": {"refund": "7"}})
    assert first.metadata is not None
    assert (first.status, first.amount, first.metadata["refund"]) == ("succeeded", 4_200, "7")
    assert refused(payments, payment_intent=intent, amount=4_201) == (400, "amount_too_large")
    rest = api.refunds.create({"payment_intent": intent})
    assert rest.amount == 4_200
    charge = api.charges.retrieve(str(rest.charge))
    assert (charge.refunded, charge.amount_refunded) == (True, 8_400)
    assert refused(payments, payment_intent=intent) == (400, "charge_already_refunded")
    assert [refund.id for refund in api.refunds.list({"payment_intent": intent})] == [rest.id, first.id]
    assert [event.type for event in payments.events(type="charge.refunded")] == ["charge.refunded"] * 2


def test_a_refund_of_what_was_not_paid_is_refused(payments: Payments) -> None:
    session = payments.open_session()
    payments.pay(session, "declined")
    tried = payments.client().v1.checkout.sessions.retrieve(session.id)
    assert refused(payments, payment_intent=str(tried.payment_intent))[0] == 400
    assert refused(payments, payment_intent="pi_nobodys") == (404, "resource_missing")
    assert refused(payments, amount=100) == (400, "parameter_missing")
    assert refused(payments, payment_intent="pi_x", amount=0) == (400, "parameter_invalid_integer")
    assert refused(payments, payment_intent="pi_x", reason="boredom")[0] == 400


def test_a_disputed_charge_cannot_be_refunded(payments: Payments) -> None:
    intent = str(payments.paid_session("disputed").payment_intent)
    assert refused(payments, payment_intent=intent) == (400, "charge_disputed")
    (event,) = payments.events(type="charge.dispute.created")
    assert event.data.object["payment_intent"] == intent
    money = payments.client().v1.balance_transactions.list({"type": "adjustment"}).data
    assert [(one.amount, one.fee, one.reporting_category) for one in money] == [(-8_400, 1_500, "dispute")]


def test_a_pending_refund_counts_at_once_and_is_paid_out_later(payments: Payments, intent: str) -> None:
    payments.turn(refunds="pending", settle_after_s=3_600)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    assert (refund.status, refund.pending_reason, refund.balance_transaction) == ("pending", "insufficient_funds", None)
    assert refused(payments, payment_intent=intent) == (400, "charge_already_refunded")
    payments.turn(advance_s=3_600)
    settled = payments.client().v1.refunds.retrieve(refund.id)
    assert (settled.status, settled.pending_reason) == ("succeeded", None)
    assert settled.balance_transaction
    updated = payments.events(type="refund.updated")
    assert [event.data.to_dict()["previous_attributes"] for event in updated] == [
        {"status": "pending", "balance_transaction": None}
    ]


@pytest.mark.parametrize("fate", ["pending", "fail_later"])
def test_a_refund_that_fails_makes_the_charge_refundable_again(payments: Payments, intent: str, fate: str) -> None:
    payments.turn(refunds=fate, settle_after_s=0)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    assert payments.post("settle", id=refund.id, fails=True) == {"status": "failed"}
    failed = payments.client().v1.refunds.retrieve(refund.id)
    assert failed.failure_reason == "expired_or_canceled_card"
    assert bool(failed.failure_balance_transaction) == (fate == "fail_later")
    assert [event.type for event in payments.events()][-3:] == [
        "refund.updated",
        "refund.failed",
        "charge.refund.updated",
    ]
    payments.turn(refunds="succeed")
    assert payments.client().v1.refunds.create({"payment_intent": intent}).status == "succeeded"


def test_a_refused_refund_changes_nothing_and_can_be_tried_again(payments: Payments, intent: str) -> None:
    payments.turn(refunds="refuse")
    assert refused(payments, payment_intent=intent) == (400, "balance_insufficient")
    assert payments.client().v1.refunds.list().data == []
    payments.turn(refunds="succeed")
    assert payments.client().v1.refunds.create({"payment_intent": intent}).status == "succeeded"


def test_a_refund_cannot_be_canceled_as_stripe_documents(payments: Payments, intent: str) -> None:
    payments.turn(refunds="pending", settle_after_s=0)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    with pytest.raises(stripe.InvalidRequestError, match="status of `pending`"):
        payments.client().v1.refunds.cancel(refund.id)


def test_a_refund_that_is_settled_twice_is_paid_out_once(payments: Payments, intent: str) -> None:
    payments.turn(refunds="pending", settle_after_s=0)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    for _ in range(2):
        assert payments.post("settle", id=refund.id) == {"status": "succeeded"}
    money = payments.client().v1.balance_transactions.list({"type": "refund"}).data
    assert [one.amount for one in money] == [-8_400]


def test_the_balance_is_paged_both_ways(payments: Payments) -> None:
    for _ in range(5):
        payments.paid_session()
    api = payments.client().v1.balance_transactions
    everything = [one.id for one in api.list({"limit": 100}).data]
    assert len(everything) == 5
    assert [one.id for one in api.list({"limit": 2}).auto_paging_iter()] == everything
    page = api.list({"limit": 2, "starting_after": everything[0]})
    assert ([one.id for one in page.data], page.has_more) == (everything[1:3], True)
    page = api.list({"limit": 2, "ending_before": everything[4]})
    assert ([one.id for one in page.data], page.has_more) == (everything[2:4], True)
    page = api.list({"limit": 2, "ending_before": everything[1]})
    assert ([one.id for one in page.data], page.has_more) == (everything[:1], False)


def test_the_balance_is_narrowed_by_time_type_currency_and_source(payments: Payments) -> None:
    intent = str(payments.paid_session().payment_intent)
    before = payments.client().v1.balance_transactions.list().data[0]
    payments.turn(advance_s=86_400)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    api = payments.client().v1.balance_transactions

    def found(**narrowed: Any) -> list[str]:
        return [one.id for one in api.list(narrowed).data]  # type: ignore[arg-type]

    assert found(type="refund") == [refund.balance_transaction]
    assert found(created={"lt": before.created + 1}) == [before.id]
    assert found(created={"gte": before.created + 1}) == [refund.balance_transaction]
    assert found(created=before.created) == [before.id]
    assert found(currency="usd") == []
    assert found(source=refund.id) == [refund.balance_transaction]
    assert api.retrieve(before.id).status == "pending"
    payments.turn(advance_s=86_400)
    assert api.retrieve(before.id).status == "available"


def test_each_movement_of_the_balance_is_paid_out_once(payments: Payments) -> None:
    paid = payments.paid_session()
    payments.client().v1.refunds.create({"payment_intent": str(paid.payment_intent), "amount": 4_200})
    assert payments.post("payout") == {"payouts": []}  # the refund is there before the money is
    payments.turn(advance_s=2 * 86_400)
    (id,) = payments.post("payout")["payouts"]
    api = payments.client().v1
    payout = api.payouts.retrieve(id)
    assert (payout.amount, payout.status, payout.automatic) == (8_249 - 4_200, "paid", True)
    money = api.balance_transactions.list({"payout": id}).data
    assert [(one.type, one.net) for one in money] == [("payout", -4_049), ("refund", -4_200), ("charge", 8_249)]
    assert sum(one.net for one in money) == 0
    assert payments.post("payout") == {"payouts": []}
    assert [one.id for one in api.payouts.list({"status": "paid"}).data] == [id]
    assert payments.events()[-1].type == "payout.reconciliation_completed"


def test_of_many_refunds_at_once_one_gets_the_money(payments: Payments, intent: str) -> None:
    meet = threading.Barrier(8)

    def refund() -> str:
        meet.wait(10)
        try:
            return str(payments.client().v1.refunds.create({"payment_intent": intent, "amount": 5_000}).status)
        except stripe.InvalidRequestError as error:
            return str(error.code)

    with ThreadPoolExecutor(8) as pool:
        answers = [one.result(60) for one in [pool.submit(refund) for _ in range(8)]]
    assert sorted(answers) == ["amount_too_large"] * 7 + ["succeeded"]
