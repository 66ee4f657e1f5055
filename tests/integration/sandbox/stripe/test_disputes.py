"""Disputes and inquiries through the real SDK: their states, the money that goes with them, and their events."""

from __future__ import annotations

from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
import stripe

from tests.declared_types import differences
from tests.fixtures_payments import Payments


def the_dispute(payments: Payments, card: str = "disputed") -> stripe.Dispute:
    intent = str(payments.paid_session(card).payment_intent)
    (dispute,) = payments.client().v1.disputes.list({"payment_intent": intent}).data
    return dispute


def money_of(dispute: Any) -> list[tuple[int, int, str]]:
    return [(one["amount"], one["fee"], one["reporting_category"]) for one in dispute["balance_transactions"]]


def told(payments: Payments) -> list[str]:
    return [event.type.removeprefix("charge.dispute.") for event in payments.events(type="charge.dispute.*")]


def refund(payments: Payments, dispute: stripe.Dispute) -> stripe.Refund:
    return payments.client().v1.refunds.create({"payment_intent": str(dispute.payment_intent)})


def test_a_dispute_that_is_won_brings_the_money_back_and_keeps_the_fee(payments: Payments) -> None:
    dispute = the_dispute(payments)
    assert (dispute.status, money_of(dispute)) == ("needs_response", [(-8_400, 1_500, "dispute")])
    answered = payments.post("dispute", id=dispute.id, status="under_review")
    assert answered["evidence_details"]["submission_count"] == 1
    payments.post("dispute", id=dispute.id, status="won")
    won = payments.client().v1.disputes.retrieve(dispute.id)
    assert (won.status, money_of(won)) == ("won", [(-8_400, 1_500, "dispute"), (8_400, 0, "dispute_reversal")])
    assert told(payments) == ["created", "funds_withdrawn", "updated", "closed", "funds_reinstated"]
    assert list(differences(won.to_dict(), stripe.Dispute, "dispute")) == []
    assert refund(payments, dispute).amount == 8_400


def test_a_dispute_that_is_lost_keeps_the_money_away_and_can_be_won_later_all_the_same(payments: Payments) -> None:
    dispute = the_dispute(payments)
    payments.post("dispute", id=dispute.id, status="lost")
    assert told(payments) == ["created", "funds_withdrawn", "closed"]
    with pytest.raises(stripe.InvalidRequestError) as error:
        refund(payments, dispute)
    assert error.value.code == "charge_disputed"
    assert payments.post("dispute", id=dispute.id, status="won")["status"] == "won"


def test_an_inquiry_takes_nothing_and_leaves_the_payment_refundable(payments: Payments) -> None:
    dispute = the_dispute(payments, "inquiry")
    assert (dispute.status, money_of(dispute), told(payments)) == ("warning_needs_response", [], ["created"])
    assert list(differences(dispute.to_dict(), stripe.Dispute, "dispute")) == []
    assert refund(payments, dispute).amount == 8_400
    payments.post("dispute", id=dispute.id, status="warning_under_review")
    payments.post("dispute", id=dispute.id, status="warning_closed")
    assert told(payments) == ["created", "updated", "closed"]


def test_an_inquiry_that_becomes_a_dispute_takes_the_money_then(payments: Payments) -> None:
    dispute = the_dispute(payments, "inquiry")
    payments.post("dispute", id=dispute.id, status="needs_response")
    escalated = payments.client().v1.disputes.retrieve(dispute.id)
    assert (escalated.is_charge_refundable, money_of(escalated)) == (False, [(-8_400, 1_500, "dispute")])
    assert told(payments) == ["created", "updated", "funds_withdrawn"]


def test_a_part_of_a_payment_can_be_disputed_later(payments: Payments) -> None:
    intent = str(payments.paid_session().payment_intent)
    made = payments.post("dispute", payment_intent=intent, amount=4_200, reason="product_not_received")
    assert (made["amount"], made["reason"], money_of(made)) == (
        4_200,
        "product_not_received",
        [(-4_200, 1_500, "dispute")],
    )


def test_a_step_that_the_bank_never_takes_is_refused(payments: Payments) -> None:
    dispute = the_dispute(payments)
    payments.post("dispute", id=dispute.id, status="won")
    for given in ({"id": dispute.id, "status": "lost"}, {"id": "du_nobodys"}, {"payment_intent": "pi_nobodys"}):
        with pytest.raises(HTTPError) as refused:
            payments.post("dispute", **given)
        assert refused.value.code == 422


def test_its_page_shows_the_dispute_and_its_buttons_move_it(payments: Payments) -> None:
    dispute = the_dispute(payments)
    page = urlopen(f"{payments.address}/disputes/{dispute.id}", timeout=10)
    text = page.read().decode()
    assert "The bank decides for the box office" in text
    token = text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    cookie = page.headers["Set-Cookie"].split(";")[0]
    body = urlencode({"csrfmiddlewaretoken": token, "status": "lost"}).encode()
    answer = urlopen(Request(f"{payments.address}/disputes/{dispute.id}", body, {"Cookie": cookie}), timeout=10)
    assert "lost" in answer.read().decode()
    assert payments.client().v1.disputes.retrieve(dispute.id).status == "lost"
    assert dispute.id in urlopen(payments.address, timeout=10).read().decode()
