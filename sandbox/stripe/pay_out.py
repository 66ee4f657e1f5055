"""Pays out to the bank what is available (Stripe API reference, "Payouts"; docs.stripe.com, "Payout reconciliation").

Stripe does it every day; here a button does. Each balance transaction belongs to one payout at most.
"""

from __future__ import annotations

import json

from sandbox.stripe.events import emit
from sandbox.stripe.ids import new_id
from sandbox.stripe.money_objects import balance_transaction_object
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

AVAILABLE = """
SELECT body FROM objects
WHERE kind = 'balance_transaction' AND json_extract(body, '$.status') = 'available'
  AND json_extract(body, '$._payout') IS NULL
ORDER BY seq
"""
"""What is in no payout yet. Index: objects_of_a_kind."""


def pay_out(stand_in: StandIn) -> list[Body]:
    """One automatic payout for each currency in which more came in than went out."""
    with stand_in.state.changing():
        available = [json.loads(row["body"]) for row in stand_in.state.rows(AVAILABLE)]
        by_currency: dict[str, list[Body]] = {}
        for money in available:
            by_currency.setdefault(money["currency"], []).append(money)
        return [
            _pay_out(stand_in, currency, monies)
            for currency, monies in by_currency.items()
            if sum(money["net"] for money in monies) > 0
        ]


def _pay_out(stand_in: StandIn, currency: str, monies: list[Body]) -> Body:
    payout = payout_object(currency, amount=sum(money["net"] for money in monies), now=stand_in.now())
    money = balance_transaction_object(
        payout,
        type="payout",
        category="payout",
        amount=-payout["amount"],
        fee=0,
        now=stand_in.now(),
        description="STRIPE PAYOUT",
    )
    payout["balance_transaction"] = money["id"]
    stand_in.state.add({**money, "_payout": payout["id"]})
    for paid in monies:
        stand_in.state.save({**paid, "_payout": payout["id"]})
    stand_in.state.add(payout)
    for event in ("payout.created", "payout.paid", "payout.reconciliation_completed"):
        emit(stand_in, event, payout)
    return payout


def payout_object(currency: str, *, amount: int, now: int) -> Body:
    """A payout that has arrived already."""
    return {
        "id": new_id("po_1"),
        "object": "payout",
        "amount": amount,
        "application_fee": None,
        "application_fee_amount": None,
        "arrival_date": now - now % 86_400,
        "automatic": True,
        "balance_transaction": None,
        "created": now,
        "currency": currency,
        "description": "STRIPE PAYOUT",
        "destination": "ba_1StandInForABankAccount",
        "failure_balance_transaction": None,
        "failure_code": None,
        "failure_message": None,
        "livemode": False,
        "metadata": {},
        "method": "standard",
        "original_payout": None,
        "payout_method": None,
        "reconciliation_status": "completed",
        "reversed_by": None,
        "source_type": "card",
        "statement_descriptor": None,
        "status": "paid",
        "trace_id": {"status": "pending", "value": None},
        "type": "bank_account",
    }
