"""Payments that were made before anybody looked: thousands at once, without a payment page, and nobody is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sandbox.stripe.cards import CARDS
from sandbox.stripe.money_objects import balance_transaction_object, fee_of
from sandbox.stripe.payment_objects import charge_object, outcome, payment_intent_object, payment_method_object
from sandbox.stripe.stand_in import StandIn


def seed_payments(stand_in: StandIn, payments: Iterable[dict[str, Any]]) -> int:
    """Paid PaymentIntents, each with its charge and balance transaction; returns how many.

    payments: each with ``id`` (of the PaymentIntent), ``amount`` as the provider counts, ``currency`` and, at will,
    ``metadata`` and ``card``, one of CARDS.
    """
    now, count = stand_in.now(), 0
    with stand_in.state.changing():
        for given in payments:
            card = CARDS[given.get("card", "pays")]
            session = {
                "id": "",
                "amount_total": given["amount"],
                "currency": given["currency"].lower(),
                "payment_method_types": [card.type],
                "_payment_intent_data": {"metadata": given.get("metadata", {})},
            }
            intent = payment_intent_object(session, now=now) | {"id": given["id"]}
            method = payment_method_object(card, email="ada@example.org", name="Ada Lovelace", now=now)
            charge = charge_object(intent, card, method=method, now=now, authenticated=False)
            money = balance_transaction_object(
                charge,
                type="charge",
                category="charge",
                amount=charge["amount"],
                fee=fee_of(charge["amount"], charge["currency"]),
                now=now,
                description=charge["description"],
            )
            charge |= {
                "amount_captured": charge["amount"],
                "balance_transaction": money["id"],
                "captured": True,
                "outcome": outcome(),
                "paid": True,
                "status": "succeeded",
                "_refund": card.refund,
                "_disputed": "",
                "_settles": card.settles,
            }
            paid = {"amount_received": intent["amount"], "latest_charge": charge["id"], "status": "succeeded"}
            for body in (intent | paid, charge, money):
                stand_in.state.add(body)
            count += 1
    return count
