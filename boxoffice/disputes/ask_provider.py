"""How a dispute stands, as the provider tells it when asked. No transaction may be open (I12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from boxoffice.models import Dispute
from boxoffice.payments import provider
from boxoffice.payments.minor_units import counted_as_ours
from boxoffice.payments.told_words import our_id


@dataclass(frozen=True)
class ToldDispute:
    """A dispute as the provider shows it.

    amount, withdrawn, fee: in our minor unit of ``currency``; withdrawn is what it took from our balance less what it
    has put back. intent_id, key: of the payment, the key as far as it was given along.
    """

    id: str
    status: Dispute.Status
    reason: str
    amount: int
    currency: str
    withdrawn: int
    fee: int
    opened_at: datetime
    evidence_due_at: datetime | None
    intent_id: str
    key: str


def ask_about(*, dispute_id: str) -> ToldDispute:
    """Ask the provider. Raises what its SDK raises, and ValueError for a status that it does not document."""
    return read_dispute(provider.client().v1.disputes.retrieve(dispute_id, {"expand": ["payment_intent"]}).to_dict())


def read_dispute(told: Mapping[str, Any]) -> ToldDispute:
    """What a dispute object says. Pure. Raises ValueError for a status that the provider does not document."""
    currency = told["currency"].upper()
    intent = told.get("payment_intent") or ""
    named: Mapping[str, Any] = intent if isinstance(intent, Mapping) else {"id": intent}
    withdrawn, fee = _money(told["balance_transactions"], told)
    due_at = (told.get("evidence_details") or {}).get("due_by")
    return ToldDispute(
        id=told["id"],
        status=Dispute.Status(told["status"]),
        reason=told.get("reason") or "",
        amount=counted_as_ours(told["amount"], currency),
        currency=currency,
        withdrawn=withdrawn,
        fee=fee,
        opened_at=datetime.fromtimestamp(told["created"], UTC),
        evidence_due_at=datetime.fromtimestamp(due_at, UTC) if due_at else None,
        intent_id=named["id"],
        key=our_id((named.get("metadata") or {}).get("payment")),
    )


def _money(moved: Sequence[Mapping[str, Any]], told: Mapping[str, Any]) -> tuple[int, int]:
    """What was taken and not put back, and the fee. Where our balance has another currency: all of it or nothing, and
    the fee is left to the reconciliation."""
    net = -sum(one["amount"] for one in moved)
    if any(one["currency"] != told["currency"] for one in moved):
        net, fee = told["amount"] if net > 0 else 0, 0
    else:
        fee = sum(one["fee"] for one in moved)
    currency = told["currency"].upper()
    return counted_as_ours(net, currency), counted_as_ours(fee, currency)
