"""Creates a Checkout Session (Stripe API reference, "Create a Checkout Session")."""

from __future__ import annotations

from typing import Any

from sandbox.stripe.currencies import check_form, check_total
from sandbox.stripe.errors import ApiError, invalid
from sandbox.stripe.session_object import line_item_object, session_object
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

SOONEST, LATEST = 30 * 60, 24 * 3600  # seconds after creation at which a session may expire


def check_session(stand_in: StandIn, parameters: dict[str, Any]) -> None:
    """What Stripe refuses before it begins to create. Raises ApiError."""
    if parameters["mode"] != "payment":
        raise invalid("The stand-in knows no other mode than `payment`.", param="mode")
    if parameters.get("ui_mode", "hosted_page") != "hosted_page":
        raise invalid("The stand-in knows no other ui_mode than `hosted_page`.", param="ui_mode")
    for name in ("line_items", "success_url"):
        if not parameters.get(name):
            raise invalid(f"Missing required param: {name}.", param=name, code="parameter_missing")
    prices = [item["price_data"] for item in parameters["line_items"]]
    if len({price["currency"] for price in prices}) > 1:
        raise invalid("All prices on a Checkout Session must have the same currency.", param="line_items")
    for number, price in enumerate(prices):
        check_form(price["unit_amount"], price["currency"], param=f"line_items[{number}][price_data][unit_amount]")
    total = sum(item["price_data"]["unit_amount"] * item["quantity"] for item in parameters["line_items"])
    check_total(total, prices[0]["currency"])
    _check_expiry(parameters.get("expires_at"), now=stand_in.now())
    if "sepa_debit" in parameters.get("payment_method_types", ()) and prices[0]["currency"] != "eur":
        raise invalid(
            "The currency provided is invalid with one or more payment method types: sepa_debit takes eur.",
            param="payment_method_types",
        )


def _check_expiry(expires_at: int | None, *, now: int) -> None:
    if expires_at is None:
        return
    if expires_at < now + SOONEST:
        raise invalid(
            "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.", param="expires_at"
        )
    if expires_at >= now + LATEST:
        raise invalid(
            "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.", param="expires_at"
        )


def create_session(stand_in: StandIn, parameters: dict[str, Any], *, page: str) -> Body:
    """An open session whose payment page is at ``page`` followed by its id."""
    now = stand_in.now()
    expires_at = parameters.get("expires_at", now + LATEST)
    items = [line_item_object(item, now=now) for item in parameters["line_items"]]
    session = session_object(parameters, now=now, expires_at=expires_at, page=page, line_items=items)
    return stand_in.state.add(session, due_at=expires_at)


def unexpected(session: Body, verb: str) -> ApiError:
    """The session is in no state in which that can be done."""
    return ApiError(
        f'Only Checkout Sessions with a status in ["open"] can be {verb}. This Checkout Session has a status of '
        f"`{session['status']}`."
    )
