"""Planning that money goes back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from boxoffice.cancellation.count_in import count_in
from boxoffice.models import Refund
from boxoffice.models.order import subject_of
from boxoffice.refunds import transitions
from boxoffice.refunds.errors import LinesRefunded
from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction

TASK = "boxoffice.send_refund"

TASK_OF_MANY = "boxoffice.send_mass_refund"
"""The same in a queue of its own, behind whatever somebody waits for."""


def plan_refund(*, payment_id: int, amount: int, reason: str, line_ids: Sequence[int] = ()) -> Refund | None:
    """Plan to give ``amount`` of a payment back: a row with its key, and the job that sends it unless it is to be paid
    out by hand. Part of the caller's transaction.

    amount: in the currency's minor unit. reason: for the books, cut after 200 characters. line_ids: the order's lines
    that it pays for; none where the money was never for seats.

    None, and nothing planned, when the payment has not so much left beside what was refunded or is under way; so a
    second call for the whole plans nothing. Calls for one payment wait for each other.

    Raises NotInTransaction, and LinesRefunded when another refund pays for one of the lines.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Plan a refund inside the transaction of the change that causes it.")
    refund = transitions.plan(payment_id=payment_id, amount=amount, reason=reason)
    if refund is None:
        return None
    if line_ids and transitions.pay_for_lines(refund_id=refund.pk, line_ids=line_ids) != len(set(line_ids)):
        raise LinesRefunded
    count_in(refund)
    enqueue_sending(refund)
    return refund


def enqueue_sending(refund: Refund, *, available_at: datetime | None = None, is_of_many: bool = False) -> None:
    """Put the job into the ledger that sends this attempt, not before ``available_at``.

    is_of_many: it waits its turn among all of a cancelled show, and while they are paused.

    None for money in our own hands: staff pay it out, and say so (``changes/pay_out.py``).
    """
    if refund.payment.is_by_hand:
        return
    enqueue(
        task=TASK_OF_MANY if is_of_many else TASK,
        args={"refund_id": refund.pk},
        subject=subject_of(code=refund.payment.order.code),
        available_at=available_at,
    )
