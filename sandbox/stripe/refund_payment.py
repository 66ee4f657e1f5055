"""Gives money back (Stripe API reference, "Create a refund"; docs.stripe.com, "Refund and cancel payments")."""

from __future__ import annotations

from typing import Any

from sandbox.stripe.currencies import check_form, in_words
from sandbox.stripe.dispute_payment import holds_the_money
from sandbox.stripe.errors import ApiError, invalid, missing
from sandbox.stripe.events import emit
from sandbox.stripe.money_objects import balance_transaction_object, refund_object
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

PENDING_FOR = {"pending": "insufficient_funds", "slow": "processing"}
"""Why a refund is pending, by what becomes of new ones."""


def check_refund(stand_in: StandIn, parameters: dict[str, Any]) -> None:
    """What Stripe refuses before it looks at the payment. Raises ApiError."""
    if not {"charge", "payment_intent"} & set(parameters):
        raise invalid(
            "One of the following params should be provided for this request: payment_intent or charge.",
            code="parameter_missing",
        )


def refund_payment(stand_in: StandIn, parameters: dict[str, Any]) -> Body:
    """A refund of all that is left of a charge, or of ``amount``. Raises ApiError."""
    charge = _charge(stand_in, parameters)
    left = charge["amount_captured"] - charge["amount_refunded"]
    if holds_the_money(stand_in, charge):
        raise ApiError(f"Charge {charge['id']} has been charged back; cannot issue a refund.", code="charge_disputed")
    if left <= 0:
        raise ApiError(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    amount = parameters.get("amount", left)
    check_form(amount, charge["currency"], param="amount")
    if amount > left:
        raise ApiError(
            f"Refund amount ({in_words(amount, charge['currency'])}) is greater than unrefunded amount on charge "
            f"({in_words(left, charge['currency'])})",
            code="amount_too_large",
            param="amount",
        )
    fate = stand_in.board.knobs.refunds
    fate = charge["_refund"] if fate == "succeed" else fate
    if fate == "refuse":
        raise ApiError("Insufficient funds in your Stripe balance to refund this amount.", code="balance_insufficient")
    refund = refund_object(
        charge,
        amount=amount,
        reason=parameters.get("reason"),
        metadata=parameters.get("metadata", {}),
        now=stand_in.now(),
    )
    return _begin(stand_in, charge, refund, fate)


def _begin(stand_in: StandIn, charge: Body, refund: Body, fate: str) -> Body:
    """The amount counts as refunded at once, so that nobody refunds it twice while it is pending."""
    refunded = charge["amount_refunded"] + refund["amount"]
    charge = stand_in.state.save(
        {**charge, "amount_refunded": refunded, "refunded": refunded == charge["amount_captured"]}
    )
    after = stand_in.board.knobs.settle_after_s
    due_at = stand_in.now() + after if after else None
    if fate in PENDING_FOR:
        refund |= {"status": "pending", "pending_reason": PENDING_FOR[fate], "_fails": False}
        stand_in.state.add(refund, due_at=due_at)
        emit(stand_in, "refund.created", refund)
        return refund
    refund["_fails"] = fate == "fail_later"
    stand_in.state.add(refund)
    refund = stand_in.state.save(_paid_out(stand_in, refund), due_at=due_at if refund["_fails"] else None)
    emit(stand_in, "refund.created", refund)
    emit(stand_in, "charge.refunded", charge)
    return refund


def _charge(stand_in: StandIn, parameters: dict[str, Any]) -> Body:
    charge_id = parameters.get("charge")
    if "payment_intent" in parameters:
        intent = stand_in.state.find("payment_intent", parameters["payment_intent"])
        if intent is None:
            raise missing("payment_intent", parameters["payment_intent"], param="payment_intent")
        if intent["status"] != "succeeded" or charge_id not in (None, intent["latest_charge"]):
            raise ApiError(
                f"This PaymentIntent ({intent['id']}) does not have a successful charge to refund.",
                code="payment_intent_unexpected_state",
                param="payment_intent",
            )
        charge_id = intent["latest_charge"]
    charge = stand_in.state.find("charge", charge_id or "")
    if charge is None:
        raise missing("charge", charge_id or "", param="charge")
    if not charge["paid"]:
        raise ApiError(f"Charge {charge['id']} is not paid and cannot be refunded.", param="charge")
    return charge


def _paid_out(stand_in: StandIn, refund: Body) -> Body:
    charge = stand_in.state.get("charge", refund["charge"])
    card = charge["payment_method_details"]["type"] == "card"
    money = balance_transaction_object(
        refund,
        type="refund" if card else "payment_refund",
        category="refund",
        amount=-refund["amount"],
        fee=0,
        now=stand_in.now(),
        description=f"REFUND FOR {'CHARGE' if card else 'PAYMENT'}",
    )
    stand_in.state.add(money)
    return {**refund, "status": "succeeded", "pending_reason": None, "balance_transaction": money["id"]}


def settle_refund(stand_in: StandIn, refund: Body) -> None:
    """A pending refund goes through, or one that went through comes back (``refund.failed``)."""
    if refund["status"] == "pending":
        refund = stand_in.state.save(_paid_out(stand_in, refund))
        emit(stand_in, "refund.updated", refund, previous={"status": "pending", "balance_transaction": None})
        emit(stand_in, "charge.refunded", stand_in.state.get("charge", refund["charge"]))
    elif refund["status"] == "succeeded" and refund["_fails"]:
        fail_refund(stand_in, refund)


def fail_refund(stand_in: StandIn, refund: Body) -> None:
    """The bank of the card sends the money back: it is ours again, and the charge is refundable again."""
    charge = stand_in.state.get("charge", refund["charge"])
    back = None
    if refund["balance_transaction"]:
        back = balance_transaction_object(
            refund,
            type="refund_failure",
            category="refund_failure",
            amount=refund["amount"],
            fee=0,
            now=stand_in.now(),
            description="REFUND FAILURE",
        )
        stand_in.state.add(back)
    stand_in.state.save({**charge, "amount_refunded": charge["amount_refunded"] - refund["amount"], "refunded": False})
    failed = stand_in.state.save(
        {
            **refund,
            "status": "failed",
            "pending_reason": None,
            "failure_reason": "expired_or_canceled_card",
            "failure_balance_transaction": back["id"] if back else None,
        }
    )
    for event in ("refund.updated", "refund.failed", "charge.refund.updated"):
        emit(stand_in, event, failed, previous={"status": refund["status"]} if event == "refund.updated" else None)
