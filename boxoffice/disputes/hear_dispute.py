"""The provider's events about disputes: each makes the job come that asks how the dispute stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxoffice.models import Payment
from boxoffice.payments.errors import MalformedEvent
from boxoffice.payments.told_words import told_word
from jobs.enqueue import enqueue

EVENT_TYPES = frozenset(
    f"charge.dispute.{what}" for what in ("created", "updated", "closed", "funds_withdrawn", "funds_reinstated")
)

TASK = "boxoffice.take_dispute"


def hear_dispute(*, dispute: Mapping[str, Any]) -> None:
    """Let the job come about an event's dispute object. Part of the caller's transaction; three queries.

    The event's signature was checked by the caller. Nothing of it is believed but which dispute it names; which order
    it is about is looked up for the order's story alone. Raises MalformedEvent for what is no dispute as documented.
    """
    intent = dispute.get("payment_intent")
    if isinstance(intent, Mapping):
        raise MalformedEvent
    look_at(provider_id=told_word(dispute.get("id")), intent_id=told_word(intent) if intent else "")


def look_at(*, provider_id: str, intent_id: str = "") -> None:
    """Let the job come; where it waits already, it is that one. Part of the caller's transaction.

    Jobs about one dispute run one after the other. intent_id: of the money, where it is known.
    """
    payment = Payment.objects.select_related("order").filter(intent_id=intent_id).first() if intent_id else None
    enqueue(
        task=TASK,
        args={"provider_id": provider_id},
        subject=payment.order.subject if payment is not None else f"dispute:{provider_id}",
        unique_key=f"{TASK} {provider_id}",
        ordering_key=f"{TASK} {provider_id}",
    )
