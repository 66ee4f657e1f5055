"""Writing down how a dispute stands: one conditional statement, and a step of its trail where something changed.

Every state may follow every other (``standing.py``, Note [Lost is not the end]). An answer is written where no later
one is there already; so two jobs, or one that was paused for long, end at the newest answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from boxoffice.disputes.ask_provider import ToldDispute
from boxoffice.models import Dispute, DisputeStep

# Whoever writes down something of this payment, or plans its refund, waits here for the one before him. By primary key.
LOCK_PAYMENT = "SELECT id FROM boxoffice_payment WHERE id = %(payment_id)s FOR NO KEY UPDATE"

# By dispute_once_per_provider_id. ``before`` is what stood there, which the payment's lock keeps as it is.
WRITE_DISPUTE = """
    WITH before AS (SELECT status, withdrawn FROM boxoffice_dispute WHERE provider_id = %(provider_id)s)
    INSERT INTO boxoffice_dispute AS known
           (payment_id, provider_id, status, reason, amount, currency, withdrawn, fee, evidence_due_at, opened_at,
            asked_at, changed_at)
    VALUES (%(payment_id)s, %(provider_id)s, %(status)s, %(reason)s, %(amount)s, %(currency)s, %(withdrawn)s, %(fee)s,
            %(evidence_due_at)s, %(opened_at)s, %(asked_at)s, jobs_now())
    ON CONFLICT (provider_id) DO UPDATE
       SET status = excluded.status, reason = excluded.reason, amount = excluded.amount, currency = excluded.currency,
           withdrawn = excluded.withdrawn, fee = excluded.fee, evidence_due_at = excluded.evidence_due_at,
           asked_at = excluded.asked_at,
           changed_at = CASE WHEN known.status = excluded.status THEN known.changed_at ELSE excluded.changed_at END
     WHERE known.asked_at < excluded.asked_at
    RETURNING id, coalesce((SELECT before.status <> known.status OR before.withdrawn <> known.withdrawn FROM before),
                           true)
"""


@dataclass(frozen=True)
class Written:
    """The row, and whether its status or its money is another one now."""

    dispute_id: int
    is_news: bool


def write_down(*, payment_id: int, told: ToldDispute, asked_at: datetime) -> Written | None:
    """Write down what the provider said to a question of ``asked_at``; None where a later answer is known.

    Part of the caller's transaction, which locks the payment. Two queries.
    """
    values: dict[str, Any] = {
        "payment_id": payment_id,
        "provider_id": told.id,
        "status": str(told.status),
        "reason": told.reason[:60],
        "amount": told.amount,
        "currency": told.currency,
        "withdrawn": told.withdrawn,
        "fee": told.fee,
        "evidence_due_at": told.evidence_due_at,
        "opened_at": told.opened_at,
        "asked_at": asked_at,
    }
    with connection.cursor() as cursor:
        cursor.execute(LOCK_PAYMENT, values)
        cursor.execute(WRITE_DISPUTE, values)
        row = cursor.fetchone()
    return Written(*row) if row else None


def add_step(*, dispute_id: int, tickets: str) -> DisputeStep:
    """Add what became of it to its trail, as it stands now. tickets: of ``DisputeStep.Tickets``, or empty."""
    dispute = Dispute.objects.get(pk=dispute_id)
    return DisputeStep.objects.create(
        dispute=dispute, status=dispute.status, withdrawn=dispute.withdrawn, tickets=tickets
    )
