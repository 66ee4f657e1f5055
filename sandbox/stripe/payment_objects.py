"""What a payment is made of: PaymentIntent, PaymentMethod and Charge as the API shows them."""

from __future__ import annotations

from typing import Any

from sandbox.stripe.cards import Card
from sandbox.stripe.ids import new_id
from sandbox.stripe.state import Body


def payment_intent_object(session: Body, *, now: int) -> Body:
    """The PaymentIntent of a session, made when somebody tries to pay for the first time."""
    id, data = new_id("pi_3"), session["_payment_intent_data"]
    return {
        "id": id,
        "object": "payment_intent",
        "allowed_payment_method_types": None,
        "amount": session["amount_total"],
        "amount_capturable": 0,
        "amount_details": {"tip": {}},
        "amount_received": 0,
        "application": None,
        "application_fee_amount": None,
        "automatic_payment_methods": None,
        "canceled_at": None,
        "cancellation_reason": None,
        "capture_method": "automatic_async",
        "client_secret": f"{id}_secret_{new_id('', 25)}",
        "confirmation_method": "automatic",
        "created": now,
        "currency": session["currency"],
        "customer": None,
        "customer_account": None,
        "description": data.get("description"),
        "excluded_payment_method_types": None,
        "hooks": None,
        "last_payment_error": None,
        "latest_charge": None,
        "livemode": False,
        "managed_payments": None,
        "metadata": data.get("metadata", {}),
        "next_action": None,
        "on_behalf_of": None,
        "payment_details": None,
        "payment_method": None,
        "payment_method_configuration_details": None,
        "payment_method_options": {"card": {"request_three_d_secure": "automatic"}},
        "payment_method_types": session["payment_method_types"],
        "payment_record": None,
        "presentment_details": None,
        "processing": None,
        "receipt_email": data.get("receipt_email"),
        "review": None,
        "setup_future_usage": None,
        "shipping": None,
        "source": None,
        "statement_descriptor": None,
        "statement_descriptor_suffix": data.get("statement_descriptor_suffix"),
        "status": "requires_payment_method",
        "transfer_data": None,
        "transfer_group": None,
        "_session": session["id"],
    }


def payment_method_object(card: Card, *, email: str, name: str, now: int) -> Body:
    """The card, or the bank account, that was entered on the payment page."""
    return {
        "id": new_id("pm_1"),
        "object": "payment_method",
        "allow_redisplay": "limited",
        "billing_details": _billing(email, name),
        card.type: dict(card.facts(method=True)),
        "created": now,
        "customer": None,
        "customer_account": None,
        "livemode": False,
        "metadata": {},
        "radar_options": {},
        "type": card.type,
    }


def charge_object(intent: Body, card: Card, *, method: Body, now: int, authenticated: bool) -> Body:
    """A charge that the bank is asked for: ``pending``, until it says yes or no."""
    id = new_id("py_3" if card.type == "sepa_debit" else "ch_3")
    facts = dict(card.facts(method=False))
    if authenticated:
        facts["three_d_secure"] = THREE_D_SECURE
    return {
        "id": id,
        "object": "charge",
        "amount": intent["amount"],
        "amount_captured": 0,
        "amount_refunded": 0,
        "application": None,
        "application_fee": None,
        "application_fee_amount": None,
        "authorization_code": None,
        "balance_transaction": None,
        "billing_details": method["billing_details"],
        "calculated_statement_descriptor": "BOX OFFICE",
        "captured": False,
        "created": now,
        "currency": intent["currency"],
        "customer": None,
        "description": intent["description"],
        "disputed": False,
        "failure_balance_transaction": None,
        "failure_code": None,
        "failure_message": None,
        "fraud_details": {},
        "level3": None,
        "livemode": False,
        "metadata": intent["metadata"],
        "on_behalf_of": None,
        "outcome": None,
        "paid": False,
        "payment_intent": intent["id"],
        "payment_method": method["id"],
        "payment_method_details": {"type": card.type, card.type: facts},
        "presentment_details": None,
        "radar_options": {},
        "receipt_email": intent["receipt_email"],
        "receipt_number": None,
        "receipt_url": None,
        "refunded": False,
        "review": None,
        "shipping": None,
        "source": None,
        "source_transfer": None,
        "statement_descriptor": None,
        "statement_descriptor_suffix": intent["statement_descriptor_suffix"],
        "status": "pending",
        "transfer": None,
        "transfer_data": None,
        "transfer_group": None,
    }


def outcome(*, declined_as: str = "") -> dict[str, Any]:
    """What the network and the bank said (Stripe API reference, "Charge", ``outcome``)."""
    return {
        "advice_code": "do_not_try_again" if declined_as == "lost_card" else None,
        "network_advice_code": None,
        "network_decline_code": "05" if declined_as else None,
        "network_status": "declined_by_network" if declined_as else "approved_by_network",
        "reason": declined_as or None,
        "risk_level": "normal",
        "risk_score": 21,
        "seller_message": "The bank did not return any further details with this decline."
        if declined_as
        else "Payment complete.",
        "type": "issuer_declined" if declined_as else "authorized",
    }


THREE_D_SECURE = {
    "authentication_flow": "challenge",
    "electronic_commerce_indicator": "05",
    "exemption_indicator": None,
    "exemption_indicator_applied": None,
    "result": "authenticated",
    "result_reason": None,
    "transaction_id": "00000000-0000-4000-8000-000000000000",
    "version": "2.2.0",
}


def _billing(email: str, name: str) -> dict[str, Any]:
    address = dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"))
    return {"address": address, "email": email, "name": name or None, "phone": None, "tax_id": None}
