"""The provider's codes for a refund that failed, said in words: those that it documents, for staff."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, str | Promise] = {
    # Why a refund that was taken on came back.
    "lost_or_stolen_card": _("the card was lost or stolen"),
    "expired_or_canceled_card": _("the card has expired or was cancelled"),
    "charge_for_pending_refund_disputed": _("the payment was disputed meanwhile"),
    "insufficient_funds": _("our balance was too low"),
    "declined": _("the bank declined it"),
    "merchant_request": _("it was called off at the provider"),
    # Why one was not taken on.
    "balance_insufficient": _("our balance was too low"),
    "charge_already_refunded": _("the money was given back before"),
    "charge_disputed": _("the payment is disputed"),
    "charge_not_refundable": _("the payment cannot be refunded"),
    "refund_disputed_payment": _("the payment is disputed"),
    "amount_too_large": _("it is more than is left of the payment"),
    "resource_missing": _("the provider does not know the payment"),
}


def code_in_words(code: str) -> str:
    """What the provider's code means, in the active language; empty where it is none of those that it documents."""
    return str(_WORDS.get(code, ""))
