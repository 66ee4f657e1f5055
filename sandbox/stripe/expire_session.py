"""Ends an open session, on demand or in time (Stripe API reference, "Expire a Checkout Session")."""

from __future__ import annotations

from sandbox.stripe.create_session import unexpected
from sandbox.stripe.events import emit
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body


def expire_session(stand_in: StandIn, session: Body) -> Body:
    """The session as expired; whoever tried to pay in it can no more. Raises ApiError when it is not open."""
    if session["status"] != "open":
        raise unexpected(session, "expired")
    session = stand_in.state.save({**session, "status": "expired", "url": None})
    if session["payment_intent"]:
        intent = stand_in.state.get("payment_intent", session["payment_intent"])
        canceled = {
            **intent,
            "status": "canceled",
            "canceled_at": stand_in.now(),
            "cancellation_reason": "expired",
            "next_action": None,
        }
        emit(stand_in, "payment_intent.canceled", stand_in.state.save(canceled))
    emit(stand_in, "checkout.session.expired", session)
    return session
