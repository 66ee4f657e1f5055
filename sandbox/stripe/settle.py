"""What happens by itself in time: sessions expire, debits and refunds are decided, money becomes available."""

from __future__ import annotations

from sandbox.stripe.expire_session import expire_session
from sandbox.stripe.pay_session import complete, fail, succeed
from sandbox.stripe.refund_payment import settle_refund
from sandbox.stripe.stand_in import CAUSE, Cause, StandIn
from sandbox.stripe.state import Body

MOST_AT_ONCE = 500  # so that a clock moved by a year does not hold up everybody for long; the next call goes on


def catch_up(stand_in: StandIn) -> None:
    """Let everything happen that is due. Called before each request, and several times a second."""
    if stand_in.state.due(stand_in.now()) is None:
        return
    token = CAUSE.set(Cause())
    try:
        for _ in range(MOST_AT_ONCE):
            with stand_in.state.changing():
                body = stand_in.state.due(stand_in.now())
                if body is None:
                    return
                settle(stand_in, body)
    finally:
        CAUSE.reset(token)


def settle(stand_in: StandIn, body: Body) -> None:
    """Decide one object now."""
    match body["object"]:
        case "checkout.session" if body["status"] == "open":
            expire_session(stand_in, body)
        case "charge" if body["status"] == "pending":
            _settle_debit(stand_in, body)
        case "refund":
            settle_refund(stand_in, body)
        case "balance_transaction":
            stand_in.state.save({**body, "status": "available"})
        case _:
            stand_in.state.save(body)


def _settle_debit(stand_in: StandIn, charge: Body) -> None:
    intent = stand_in.state.get("payment_intent", charge["payment_intent"])
    session = stand_in.state.get("checkout.session", intent["_session"])
    if charge["_settles"]:
        succeed(stand_in, intent, charge)
        complete(stand_in, session, "checkout.session.async_payment_succeeded", payment_status="paid")
    else:
        fail(stand_in, intent, charge)
        complete(stand_in, session, "checkout.session.async_payment_failed", payment_status="unpaid")
