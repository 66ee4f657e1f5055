"""What the provider's events about refunds mean for ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from django.db.models import Q

from boxoffice.models import Refund
from boxoffice.payments.errors import MalformedEvent
from boxoffice.payments.minor_units import provider_amount
from boxoffice.payments.told_words import told_metadata, told_word
from boxoffice.refunds.ask_provider import METADATA_KEY, Answer, answer_of
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

    Raises RefundNotOurs when it names ours with another amount or currency, and MalformedEvent for what is no refund as
    the provider documents it.
    """
    provider_id = told_word(refund.get("id"))
    ours = _ours(refund, provider_id=provider_id)
    if ours is None:
        log.warning("foreign_refund", provider_id=provider_id)
        return False
    if (provider_amount(ours.money), ours.currency) != (
        refund.get("amount"),
        told_word(refund.get("currency")).upper(),
    ):
        raise RefundNotOurs
    return record_answer(refund=ours, answer=_answer(refund))


def _answer(refund: Mapping[str, Any]) -> Answer:
    if refund.get("failure_reason"):
        told_word(refund["failure_reason"])
    try:
        return answer_of({**refund, "status": told_word(refund.get("status"))})
    except KeyError as error:  # a state that the provider does not document
        raise MalformedEvent from error


def _ours(refund: Mapping[str, Any], *, provider_id: str) -> Refund | None:
    """By the provider's id, else by the number that we gave it along: the event may be here before the answer.

    Both in one look. The answer may commit at any moment, and between two looks it would be found by neither: not yet
    by the id, and no more as one that has none.

    A later attempt takes over what an earlier one has made, unless it has made something of its own. The number counts
    for the money that we ask back alone: another box office with the same account has refunds of that number, too.
    """
    told = told_metadata(refund, METADATA_KEY)
    number = int(told) if told.isdecimal() and len(told) <= 18 else None
    # By refund_once_per_provider_id, and the primary key. The one with the id first.
    either = Q(provider_id=provider_id) | Q(pk=number, provider_id="") if number else Q(provider_id=provider_id)
    found = list(Refund.objects.select_related("payment__order").filter(either).order_by("-provider_id")[:2])
    if not found or found[0].provider_id:
        return found[0] if found else None
    named = found[0]
    if named.payment.intent_id not in ("", refund.get("payment_intent")):
        return None
    newest = newest_attempt(refund_id=named.pk).refund
    return newest if newest.provider_id in ("", provider_id) else named
