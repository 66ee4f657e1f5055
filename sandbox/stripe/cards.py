"""The cards of the payment page: Stripe's test numbers, each with what its bank does (docs.stripe.com, "Testing")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Card:
    """A way to pay. ``declined_as``: the bank's reason to say no. ``three_d_secure``: it asks its owner first.

    ``refund``: what becomes of a refund to it, ``succeed`` unless its number is one of those for refunds. ``disputed``:
    ``chargeback`` or ``inquiry`` where its owner disputes each payment. ``settles``: whether a bank debit brings the
    money in the end.
    """

    name: str
    number: str
    words: str
    brand: str = "visa"
    declined_as: str = ""
    three_d_secure: bool = False
    refund: str = "succeed"
    disputed: str = ""
    type: str = "card"
    settles: bool = True

    @property
    def last4(self) -> str:
        return self.number[-4:]

    def facts(self, *, method: bool) -> Mapping[str, Any]:
        """What the API tells of it, in a PaymentMethod or in the details of a Charge."""
        if self.type == "sepa_debit":
            account = {
                "bank_code": "37040044",
                "branch_code": "",
                "country": "DE",
                "fingerprint": f"fp{self.last4}",
                "last4": self.last4,
            }
            if method:
                return {**account, "generated_from": {"charge": None, "setup_attempt": None}}
            return {**account, "expected_debit_date": None, "mandate": None}
        common = {
            "brand": self.brand,
            "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
            "country": "US",
            "exp_month": 12,
            "exp_year": 2034,
            "fingerprint": f"fp{self.last4}",
            "funding": "credit",
            "last4": self.last4,
            "regulated_status": "unregulated",
            "wallet": None,
        }
        if method:
            return {
                **common,
                "display_brand": self.brand,
                "generated_from": None,
                "networks": {"available": [self.brand], "preferred": None},
                "three_d_secure_usage": {"supported": True},
            }
        return {
            **common,
            "amount_authorized": None,
            "authorization_code": None,
            "capture_before": None,
            "electronic_commerce_indicator": None,
            "installments": None,
            "mandate": None,
            "network": self.brand,
            "network_token": {"used": False},
            "network_transaction_id": "104557651805572",
            "three_d_secure": None,
        }


CARDS = {
    card.name: card
    for card in (
        Card("pays", "4242424242424242", "Pays at once"),
        Card("three_d_secure", "4000002760003184", "Pays after 3-D Secure", three_d_secure=True),
        Card("declined", "4000000000000002", "Is declined by its bank", declined_as="generic_decline"),
        Card("insufficient_funds", "4000000000009995", "Has not enough funds", declined_as="insufficient_funds"),
        Card("expired", "4000000000000069", "Has expired", declined_as="expired_card"),
        Card("refund_pending", "4000000000007726", "Pays; a refund stays pending for a while", refund="pending"),
        Card("refund_fails", "4000000000005126", "Pays; a refund fails later", refund="fail_later"),
        Card("disputed", "4000000000000259", "Pays; the owner disputes it", disputed="chargeback"),
        Card("inquiry", "4000000000001976", "Pays; the owner’s bank inquires about it", disputed="inquiry"),
        Card("bank_debit", "DE89370400440532013000", "Bank debit; the money comes later", type="sepa_debit"),
        Card("bank_debit_fails", "DE62370400440532013001", "Bank debit; the money never comes", type="sepa_debit",
             settles=False),
    )
}  # fmt: skip

MESSAGES = {
    "generic_decline": ("card_declined", "Your card was declined."),
    "insufficient_funds": ("card_declined", "Your card has insufficient funds."),
    "expired_card": ("expired_card", "Your card has expired."),
    "lost_card": ("card_declined", "Your card was declined."),
    "processing_error": (
        "processing_error",
        "An error occurred while processing your card. Try again in a little bit.",
    ),
}
"""Error code and words by decline code (docs.stripe.com, "Decline codes")."""
