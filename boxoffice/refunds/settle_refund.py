"""What the provider's events about refunds mean for ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog

from boxoffice.models import Refund
from boxoffice.payments.minor_units import provider_amount
from boxoffice.refunds.ask_provider import METADATA_KEY, answer_of
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.errors import RefundNotOurs
from boxoffice.refunds.record_answer import record_answer

log = structlog.get_logger(__name__)

EVENT_TYPES = frozenset({"refund.created", "refund.updated", "refund.failed", "charge.refund.updated"})
"""The events whose ``data.object`` is a refund. ``charge.refunded`` names none: it has nothing to add."""


def settle_refund(*, refund: Mapping[str, Any]) -> bool:
    """Write down what an event's refund object says; whether it was news. Part of the caller's transaction.

    The event's signature was checked by the caller. Twice, late and in any order does no harm. A refund that is none of
    ours was made by hand on the provider's pages: it is logged and left to the reconciliation.

    Raises RefundNotOurs when it names ours with another amount or currency.
    """
    ours = _ours(refund)
    if ours is None:
        log.warning("foreign_refund", provider_id=refund["id"])
        return False
    if (provider_amount(ours.money), ours.currency) != (refund["amount"], refund["currency"].upper()):
        raise RefundNotOurs
    return record_answer(refund=ours, answer=answer_of(refund))


def _ours(refund: Mapping[str, Any]) -> Refund | None:
    """By the provider's id, else by the number that we gave it along: the event may be here before the answer.

    A later attempt takes over what an earlier one has made, unless it has made something of its own. The number counts
    for the money that we ask back alone: another box office with the same account has refunds of that number, too.
    """
    refunds = Refund.objects.select_related("payment__order")
    known = refunds.filter(provider_id=refund["id"]).first()
    number = str((refund.get("metadata") or {}).get(METADATA_KEY, ""))
    if known is not None or not number.isdecimal() or len(number) > 18:
        return known
    named = refunds.filter(pk=int(number), provider_id="").first()
    if named is None or named.payment.intent_id not in ("", refund.get("payment_intent")):
        return None
    newest = newest_attempt(refund_id=named.pk).refund
    return named if newest.provider_id else newest
