"""The job that asks the provider how a payment stands. No payment is forgotten, though no webhook ever came.

It comes first shortly before the hold ends: who has paid, and whose browser and webhook both failed, still gets the
seats. It comes again when the hold has ended, and ends the session with it, so that no money comes too late.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from boxoffice.models.order import subject_of
from jobs.clock import database_now
from jobs.enqueue import enqueue

BEFORE_THE_END = timedelta(minutes=1)
WHILE_MONEY_IS_UNDER_WAY = timedelta(hours=1)

PRIORITY = 3
"""Before the refunds, of which thousands may wait: seats are kept for minutes, and refunds take days at the bank."""


def look(*, payment_id: int, order_code: str, at: datetime | None = None) -> int:
    """Let the job come at an instant, now when None; one that waits already comes at the earlier of the two.

    Part of the caller's transaction. One query.
    """
    return enqueue(
        task="boxoffice.settle_payment",
        args={"payment_id": payment_id},
        subject=subject_of(code=order_code),
        priority=PRIORITY,
        available_at=at,
        unique_key=f"settle_payment:{payment_id}",
    )


def look_before(*, payment_id: int, order_code: str, hold_ends: datetime) -> int:
    """Let it come shortly before the hold ends."""
    return look(payment_id=payment_id, order_code=order_code, at=hold_ends - BEFORE_THE_END)


def look_later(*, payment_id: int, order_code: str, hold_ends: datetime) -> int:
    """Let it come once more: when the hold has ended; and if it has already, in an hour. Two queries."""
    now = database_now()
    at = hold_ends if hold_ends > now else now + WHILE_MONEY_IS_UNDER_WAY
    return look(payment_id=payment_id, order_code=order_code, at=at)
