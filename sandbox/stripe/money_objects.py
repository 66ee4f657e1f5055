"""Refunds, disputes and the balance as the API shows them (Stripe API reference, "Refunds", "Disputes", "Balance
transactions"). Everything settles in the currency it was paid in.
"""

from __future__ import annotations

from typing import Any

from sandbox.stripe.currencies import NO_DECIMALS, THREE_DECIMALS
from sandbox.stripe.ids import new_id
from sandbox.stripe.state import Body

AVAILABLE_AFTER = 2 * 86_400
"""Seconds until the money of a charge can be paid out."""
FEE_IN_TEN_THOUSANDTHS = 150
DISPUTE_FEE = 1_500
_EVIDENCE = (
    "access_activity_log appeal billing_address cancellation_policy cancellation_policy_disclosure "
    "cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip "
    "customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id "
    "product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation service_date "
    "service_documentation shipping_address shipping_carrier shipping_date shipping_documentation "
    "shipping_tracking_number uncategorized_file uncategorized_text"
)


def fee_of(amount: int, currency: str) -> int:
    """1.5 % and 0.25 of the currency; the fixed part is nothing in a currency without decimals."""
    fixed = 0 if currency in NO_DECIMALS else 250 if currency in THREE_DECIMALS else 25
    return min(amount, (amount * FEE_IN_TEN_THOUSANDTHS + 5_000) // 10_000 + fixed)


def balance_transaction_object(
    source: Body, *, type: str, category: str, amount: int, fee: int, now: int, description: str | None = None
) -> Body:
    """Money that comes in (above 0) or goes out because of ``source``."""
    fees = [
        {
            "amount": fee,
            "application": None,
            "currency": source["currency"],
            "description": "Dispute fee" if category == "dispute" else "Stripe processing fees",
            "type": "stripe_fee",
        }
    ]
    comes_in = amount > 0 and category == "charge"
    return {
        "id": new_id("txn_3"),
        "object": "balance_transaction",
        "amount": amount,
        "available_on": now + AVAILABLE_AFTER if comes_in else now,
        "balance_type": "payments",
        "created": now,
        "currency": source["currency"],
        "description": description,
        "exchange_rate": None,
        "fee": fee,
        "fee_details": fees if fee else [],
        "net": amount - fee,
        "reporting_category": category,
        "source": source["id"],
        "status": "pending" if comes_in else "available",
        "type": type,
    }


def refund_object(charge: Body, *, amount: int, reason: str | None, metadata: dict[str, str], now: int) -> Body:
    """A refund that is about to be made."""
    return {
        "id": new_id("re_3"),
        "object": "refund",
        "amount": amount,
        "balance_transaction": None,
        "charge": charge["id"],
        "created": now,
        "currency": charge["currency"],
        "customer": None,
        "customer_account": None,
        "description": None,
        "destination_details": _destination(charge),
        "failure_balance_transaction": None,
        "failure_reason": None,
        "instructions_email": None,
        "metadata": metadata,
        "next_action": None,
        "payment_intent": charge["payment_intent"],
        "payment_method": charge["payment_method"],
        "pending_reason": None,
        "presentment_details": None,
        "reason": reason,
        "receipt_number": None,
        "source_transfer_reversal": None,
        "status": "pending",
        "transfer_reversal": None,
    }


def _destination(charge: Body) -> dict[str, Any]:
    if charge["payment_method_details"]["type"] != "card":
        return {"type": charge["payment_method_details"]["type"]}
    card = {
        "reference": None,
        "reference_status": "pending",
        "reference_type": "acquirer_reference_number",
        "type": "refund",
    }
    return {"card": card, "type": "card"}


def dispute_object(charge: Body, *, amount: int, inquiry: bool, reason: str, now: int) -> Body:
    """The owner of the card says that the payment was not theirs, or his bank asks about it."""
    nothing = dict.fromkeys(_EVIDENCE.split())
    return {
        "id": new_id("du_1"),
        "object": "dispute",
        "amount": amount,
        "balance_transactions": [],
        "charge": charge["id"],
        "created": now,
        "currency": charge["currency"],
        "enhanced_eligibility_types": [],
        "evidence": {**nothing, "enhanced_evidence": {}},
        "evidence_details": {
            "due_by": now + 7 * 86_400,
            "enhanced_eligibility": {},
            "has_evidence": False,
            "past_due": False,
            "submission_count": 0,
            "submission_method": "not_submitted",
        },
        "intended_submission_method": "manual",
        "is_charge_refundable": inquiry,
        "livemode": False,
        "metadata": {},
        "network_reason_code": "10.4",
        "payment_intent": charge["payment_intent"],
        "payment_method_details": {
            "card": {
                "brand": "visa",
                "case_type": "inquiry" if inquiry else "chargeback",
                "network": "visa",
                "network_reason_code": "10.4",
            },
            "type": "card",
        },
        "reason": reason,
        "status": "warning_needs_response" if inquiry else "needs_response",
    }
