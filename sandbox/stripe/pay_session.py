"""Somebody pays on the payment page: the bank agrees, declines, or asks its customer first.

Events in their order (docs.stripe.com, "Types of events"): payment_intent.created, then charge.failed and
payment_intent.payment_failed, or payment_intent.requires_action, or charge.succeeded, payment_intent.succeeded and
checkout.session.completed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sandbox.stripe.cards import CARDS, MESSAGES, Card
from sandbox.stripe.dispute_payment import open_dispute
from sandbox.stripe.events import emit
from sandbox.stripe.money_objects import balance_transaction_object, fee_of
from sandbox.stripe.payment_objects import charge_object, outcome, payment_intent_object, payment_method_object
from sandbox.stripe.session_object import with_customer
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

NOT_AUTHENTICATED = (
    "We are unable to authenticate your payment method. Please choose a different payment method and try again."
)


class NotOpen(Exception):
    """The session is complete or expired; nobody can pay in it."""


@dataclass(frozen=True)
class Attempt:
    """How a try to pay ended: ``paid``, ``processing``, ``declined`` with a message, or ``authenticate`` first."""

    state: str
    message: str = ""


def pay_session(
    stand_in: StandIn, session_id: str, *, card: Card, email: str, name: str = "", page: str = ""
) -> Attempt:
    """Try to pay; ``page`` is where the bank would ask its customer. Raises NotOpen."""
    with stand_in.state.changing():
        session = _open(stand_in, session_id)
        now, state = stand_in.now(), stand_in.state
        if session["payment_intent"]:
            intent = state.get("payment_intent", session["payment_intent"])
        else:
            intent = state.add(payment_intent_object(session, now=now))
            session = {**session, "payment_intent": intent["id"]}
            emit(stand_in, "payment_intent.created", intent)
        session = with_customer(session, email=email, name=name)
        state.save(session, due_at=session["expires_at"])
        method = state.add(payment_method_object(card, email=email, name=name, now=now))
        card = _as_the_knobs_say(stand_in, card)
        if card.three_d_secure:
            intent = state.save(
                {
                    **intent,
                    "status": "requires_action",
                    "payment_method": method["id"],
                    "last_payment_error": None,
                    "next_action": {
                        "type": "redirect_to_url",
                        "redirect_to_url": {"return_url": session["success_url"], "url": page},
                    },
                    "_card": replace(card, three_d_secure=False).name,
                    "_declined_as": card.declined_as,
                }
            )
            emit(stand_in, "payment_intent.requires_action", intent)
            return Attempt("authenticate")
        return _ask_the_bank(stand_in, session, intent, card, method, authenticated=False)


def answer_the_bank(stand_in: StandIn, session_id: str, *, agrees: bool) -> Attempt:
    """The owner of the card confirms the payment to the bank, or does not. Raises NotOpen."""
    with stand_in.state.changing():
        session = _open(stand_in, session_id)
        intent = stand_in.state.find("payment_intent", session["payment_intent"] or "")
        if intent is None or intent["status"] != "requires_action":
            return Attempt("declined", "The bank asks nothing. Choose a card first.")
        method = stand_in.state.get("payment_method", intent["payment_method"])
        card = replace(CARDS[intent["_card"]], declined_as=intent["_declined_as"])
        if not agrees:
            error = _error("payment_intent_authentication_failure", NOT_AUTHENTICATED, method, None)
            return _refused(stand_in, intent, error)
        return _ask_the_bank(stand_in, session, intent, card, method, authenticated=True)


def _open(stand_in: StandIn, session_id: str) -> Body:
    session = stand_in.state.find("checkout.session", session_id)
    if session is None or session["status"] != "open" or session["expires_at"] <= stand_in.now():
        raise NotOpen
    return session


def _as_the_knobs_say(stand_in: StandIn, card: Card) -> Card:
    if stand_in.board.use_up("three_d_secure_next"):
        card = replace(card, three_d_secure=True)
    if stand_in.board.use_up("decline_next") or stand_in.board.chance("decline_rate"):
        card = replace(card, declined_as=stand_in.board.knobs.decline_code)
    return card


def _ask_the_bank(
    stand_in: StandIn, session: Body, intent: Body, card: Card, method: Body, *, authenticated: bool
) -> Attempt:
    charge = charge_object(intent, card, method=method, now=stand_in.now(), authenticated=authenticated)
    charge |= {"_refund": card.refund, "_disputed": card.disputed, "_settles": card.settles}
    intent = {
        **intent,
        "latest_charge": charge["id"],
        "payment_method": method["id"],
        "next_action": None,
        "last_payment_error": None,
    }
    if card.declined_as:
        code, message = MESSAGES[card.declined_as]
        stand_in.state.add(_failed(charge, code, message, outcome(declined_as=card.declined_as)))
        emit(stand_in, "charge.failed", stand_in.state.get("charge", charge["id"]))
        return _refused(stand_in, intent, _error(code, message, method, charge["id"], card.declined_as))
    if card.type == "sepa_debit":
        return _wait_for_the_money(stand_in, session, intent, charge)
    stand_in.state.add(charge)
    succeed(stand_in, intent, charge)
    complete(stand_in, session, "checkout.session.completed", payment_status="paid")
    return Attempt("paid")


def _wait_for_the_money(stand_in: StandIn, session: Body, intent: Body, charge: Body) -> Attempt:
    """A bank debit: the session is complete at once, and ``settle`` decides it later."""
    after = stand_in.board.knobs.settle_after_s
    stand_in.state.add(charge, due_at=stand_in.now() + after if after else None)
    intent = stand_in.state.save({**intent, "status": "processing"})
    emit(stand_in, "charge.pending", charge)
    emit(stand_in, "payment_intent.processing", intent)
    complete(stand_in, session, "checkout.session.completed", payment_status="unpaid")
    return Attempt("processing")


def succeed(stand_in: StandIn, intent: Body, charge: Body) -> None:
    """The money came."""
    now, kind = stand_in.now(), "payment" if charge["payment_method_details"]["type"] != "card" else "charge"
    money = balance_transaction_object(
        charge,
        type=kind,
        category="charge",
        amount=charge["amount"],
        fee=fee_of(charge["amount"], charge["currency"]),
        now=now,
        description=charge["description"],
    )
    stand_in.state.add(money, due_at=money["available_on"])
    charge = stand_in.state.save(
        {
            **charge,
            "amount_captured": charge["amount"],
            "balance_transaction": money["id"],
            "captured": True,
            "outcome": outcome(),
            "paid": True,
            "status": "succeeded",
        }
    )
    emit(stand_in, "charge.succeeded", charge)
    intent = stand_in.state.save({**intent, "amount_received": intent["amount"], "status": "succeeded"})
    emit(stand_in, "payment_intent.succeeded", intent)
    if charge["_disputed"]:
        open_dispute(stand_in, charge, inquiry=charge["_disputed"] == "inquiry")


def fail(stand_in: StandIn, intent: Body, charge: Body) -> None:
    """The money never came (``insufficient_funds`` at the bank)."""
    message = "The customer's account has insufficient funds to cover this payment."
    charge = stand_in.state.save(
        _failed(charge, "insufficient_funds", message, outcome(declined_as="insufficient_funds"))
    )
    emit(stand_in, "charge.failed", charge)
    method = stand_in.state.get("payment_method", charge["payment_method"])
    _refused(stand_in, intent, _error("payment_intent_payment_attempt_failed", message, method, charge["id"]))


def complete(stand_in: StandIn, session: Body, event: str, *, payment_status: str) -> None:
    """The session is over, with that word about the money."""
    session = stand_in.state.save({**session, "status": "complete", "payment_status": payment_status, "url": None})
    emit(stand_in, event, session)


def _failed(charge: Body, code: str, message: str, said: dict[str, Any]) -> Body:
    return {**charge, "status": "failed", "failure_code": code, "failure_message": message, "outcome": said}


def _refused(stand_in: StandIn, intent: Body, error: dict[str, Any]) -> Attempt:
    intent = stand_in.state.save(
        {
            **intent,
            "status": "requires_payment_method",
            "payment_method": None,
            "next_action": None,
            "last_payment_error": error,
        }
    )
    emit(stand_in, "payment_intent.payment_failed", intent)
    return Attempt("declined", error["message"])


def _error(code: str, message: str, method: Body, charge: str | None, declined_as: str = "") -> dict[str, Any]:
    error = {
        "code": code,
        "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}",
        "message": message,
        "payment_method": method,
        "type": "card_error",
    }
    if charge:
        error["charge"] = charge
    if declined_as:
        error["decline_code"] = declined_as
    return error
