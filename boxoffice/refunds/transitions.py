"""Every change of a refund's state, of the lines that it pays for, and of their order: one conditional UPDATE each.

The provider's word may come twice, late and in any order. So each state can only be left for a later one: planned,
pending, succeeded, sent back by the bank. An attempt that failed in another way may still turn out to have succeeded.

Locks are taken in one order everywhere: the payment, the order, its lines, then seats by id, then tickets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from boxoffice.models import Order, OrderLine, Payment, Refund
from jobs.clock import DatabaseNow
from jobs.prepared import prepared_cursor

Status, Failure = Refund.Status, Refund.Failure

# Whoever plans a refund of a payment waits here for the one before him, and then sees his. By primary key.
LOCK_PAYMENT = "SELECT id FROM boxoffice_payment WHERE id = %(payment_id)s FOR NO KEY UPDATE"

# See Note [Money under way]. The payment is locked already. An attempt that has turned out to have succeeded meanwhile
# is not tried again. What is planned for a show that is cancelled belongs to its cancellation, and what was written off
# is not left. By the primary keys, the unique show_id and the foreign key's index.
PLAN_REFUND = """
    INSERT INTO boxoffice_refund (payment_id, status, amount, currency, reason, idempotency_key, provider_id,
                                  created_at, failure, failure_code, failure_message, replaces_id, cancellation_id,
                                  by_hand)
    SELECT payment.id, 'planned', %(amount)s, payment.currency, %(reason)s, %(key)s, '', jobs_now(), '', '', '',
           %(replaces_id)s, cancellation.id, payment.method <> 'online'
      FROM boxoffice_payment AS payment
      JOIN boxoffice_order AS o ON o.id = payment.order_id
      LEFT JOIN boxoffice_cancellation AS cancellation ON cancellation.show_id = o.show_id
      LEFT JOIN boxoffice_writeoff AS off ON off.payment_id = payment.id
     WHERE payment.id = %(payment_id)s AND payment.status = 'succeeded' AND %(amount)s > 0
       AND (%(replaces_id)s::bigint IS NULL
            OR EXISTS (SELECT 1 FROM boxoffice_refund WHERE id = %(replaces_id)s AND status = 'failed'))
       AND %(amount)s <= payment.amount - coalesce(off.amount, 0) - coalesce((
               SELECT sum(refund.amount) FROM boxoffice_refund AS refund
                WHERE refund.payment_id = payment.id AND refund.id IS DISTINCT FROM %(replaces_id)s
                  AND (refund.status <> 'failed'
                       OR refund.failure = 'unanswered'
                          AND NOT EXISTS (SELECT 1 FROM boxoffice_refund WHERE replaces_id = refund.id))), 0)
    ON CONFLICT (replaces_id) DO NOTHING
    RETURNING *
"""

# The money has left. By primary key.
MARK_SUCCEEDED = """
    UPDATE boxoffice_refund
       SET status = 'succeeded', provider_id = %(provider_id)s, failure = '', settled_at = jobs_now()
     WHERE id = %(refund_id)s AND (status IN ('planned', 'pending') OR status = 'failed' AND failure <> 'returned')
    RETURNING id, payment_id
"""

# The same, and all that hangs on it in one round trip, since a cancelled show has thousands: an order whose money came
# too late is refunded with it; and whether its fan is still to be told, which he is not of money that bought no seats,
# nor where the mail about the cancelled show has told him. By primary keys and the lines' foreign key.
SETTLE_SUCCEEDED = f"""
    WITH moved AS ({MARK_SUCCEEDED}),
    late AS (
        UPDATE boxoffice_order SET status = 'refunded'
         WHERE status = 'expired' AND id IN (SELECT payment.order_id FROM boxoffice_payment AS payment
                                              WHERE payment.id IN (SELECT payment_id FROM moved))
    )
    SELECT EXISTS (SELECT FROM boxoffice_orderline WHERE refund_id = %(refund_id)s)
       AND NOT EXISTS (SELECT FROM boxoffice_refund AS refund
                         JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
                         JOIN boxoffice_cancelledorder AS told ON told.order_id = payment.order_id AND told.is_told
                        WHERE refund.id = %(refund_id)s AND refund.cancellation_id IS NOT NULL)
      FROM moved
"""  # noqa: S608  (all of it is ours)

# From here an order can be refunded, as a whole or in part.
REFUNDABLE = (Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED)

# After lines were given back: what is left of them decides. Index: the primary key, and orderline_seat_once.
MARK_REFUNDED = """
    UPDATE boxoffice_order AS o
       SET status = CASE WHEN EXISTS (SELECT 1 FROM boxoffice_orderline
                                       WHERE order_id = o.id AND refunded_at IS NULL) THEN 'partly_refunded'
                         WHEN o.total = 0 THEN 'cancelled'
                         ELSE 'refunded' END
     WHERE o.id = %s AND o.status IN ('confirmed', 'partly_refunded')
"""

LONGEST_REASON = 200


def plan(*, payment_id: int, amount: int, reason: str, replaces_id: int | None = None) -> Refund | None:
    """A planned attempt with a key of its own; None when there is not so much left, or what it replaces was
    tried again already, or has not failed any more.
    """
    values: dict[str, Any] = {
        "payment_id": payment_id,
        "amount": amount,
        "reason": reason[:LONGEST_REASON],
        "key": f"refund-{uuid4()}",
        "replaces_id": replaces_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(LOCK_PAYMENT, values)
    for refund in Refund.objects.raw(PLAN_REFUND, values):
        return refund
    return None


def reopen(*, refund_id: int) -> bool:
    """failed → planned, with the same key: nobody knows the outcome, and no later attempt has taken over."""
    later = Refund.objects.filter(replaces_id=OuterRef("pk"))
    unknown = Refund.objects.filter(~Exists(later), pk=refund_id, status=Status.FAILED, failure=Failure.UNANSWERED)
    return unknown.update(status=Status.PLANNED, failure="", settled_at=None) == 1


def mark_pending(*, refund_id: int, provider_id: str) -> bool:
    """planned → pending, or failed → pending where we had given up; the provider has taken it on."""
    return (
        Refund.objects.filter(_not_yet_taken_on(), pk=refund_id).update(
            status=Status.PENDING, provider_id=provider_id, failure="", settled_at=None
        )
        == 1
    )


def mark_succeeded(*, refund_id: int, provider_id: str) -> bool:
    """planned | pending → succeeded, or failed → succeeded where we had given up; the money has left."""
    with connection.cursor() as cursor:
        cursor.execute(MARK_SUCCEEDED, {"refund_id": refund_id, "provider_id": provider_id})
        return cursor.rowcount == 1


def settle_succeeded(*, refund_id: int, provider_id: str) -> bool | None:
    """The same, and the order's `expired → refunded` where its money came too late. One query.

    None when it was known already; otherwise whether its fan is still to be told.
    """
    with prepared_cursor(using=DEFAULT_DB_ALIAS) as cursor:
        cursor.execute(SETTLE_SUCCEEDED, {"refund_id": refund_id, "provider_id": provider_id})
        row = cursor.fetchone()
    return None if row is None else bool(row[0])


def mark_paid_out(*, refund_id: int) -> bool:
    """planned → succeeded, for money in our own hands that somebody has paid out."""
    # By a subquery: a join would take the state along into one, and whoever waits for the row would not see it again.
    by_hand = Payment.objects.exclude(method=Payment.Method.ONLINE)
    planned = Refund.objects.filter(pk=refund_id, status=Status.PLANNED, payment_id__in=by_hand.values("pk"))
    return planned.update(status=Status.SUCCEEDED, settled_at=DatabaseNow()) == 1


def give_up_by_hand(*, order_id: int) -> int:
    """planned → failed, for money in our own hands that nobody comes for, so that it can be written off. Returns how
    many moved.
    """
    planned = Refund.objects.filter(status=Status.PLANNED, payment_id__in=_by_hand_of(order_id).values("pk"))
    return planned.update(status=Status.FAILED, failure=Failure.REFUSED, settled_at=DatabaseNow())


def take_up_by_hand(*, order_id: int) -> int:
    """failed → planned, the inverse: somebody is to pay it out after all. Returns how many moved."""
    given_up = Refund.objects.filter(status=Status.FAILED, payment_id__in=_by_hand_of(order_id).values("pk"))
    later = Refund.objects.filter(replaces_id=OuterRef("pk"))
    return given_up.filter(~Exists(later)).update(status=Status.PLANNED, failure="", settled_at=None)


def _by_hand_of(order_id: int) -> QuerySet[Payment]:
    return Payment.objects.exclude(method=Payment.Method.ONLINE).filter(order_id=order_id)


def mark_returned(*, refund_id: int, provider_id: str, code: str) -> bool:
    """planned | pending | succeeded → failed: the provider could not pay it out, and has the money back."""
    open_or_paid = Refund.objects.filter(
        _not_yet_taken_on() | Q(status__in=(Status.PENDING, Status.SUCCEEDED)), pk=refund_id
    )
    return (
        open_or_paid.update(
            status=Status.FAILED,
            failure=Failure.RETURNED,
            failure_code=code[:100],
            provider_id=provider_id,
            settled_at=DatabaseNow(),
        )
        == 1
    )


def mark_failed(*, refund_id: int, failure: str, code: str = "", message: str = "") -> bool:
    """planned → failed: refused, given up, or its key is spent."""
    return (
        Refund.objects.filter(pk=refund_id, status=Status.PLANNED).update(
            status=Status.FAILED,
            failure=failure,
            failure_code=code[:100],
            failure_message=message[:500],
            settled_at=DatabaseNow(),
        )
        == 1
    )


def take_over(*, refund_id: int, from_id: int) -> bool:
    """Let a refund that was written down by hand stand for an attempt that has made it, and that no other replaces."""
    return Refund.objects.filter(pk=refund_id, replaces__isnull=True).update(replaces=from_id) == 1


def give_lines_back(*, order_id: int, line_ids: Sequence[int]) -> int:
    """Mark these lines of the order as given back, those that were not before. Returns how many moved."""
    return OrderLine.objects.filter(order_id=order_id, pk__in=line_ids, refunded_at__isnull=True).update(
        refunded_at=DatabaseNow()
    )


def pay_for_lines(*, refund_id: int, line_ids: Sequence[int]) -> int:
    """Let the refund pay for these lines, those that none pays for. Returns how many moved."""
    return OrderLine.objects.filter(pk__in=line_ids, refund__isnull=True).update(
        refund_id=refund_id, refunded_at=DatabaseNow()
    )


def hand_lines_on(*, from_id: int, to_id: int) -> int:
    """Let a later attempt pay for the lines of the one before. Returns how many moved."""
    return OrderLine.objects.filter(refund_id=from_id).update(refund_id=to_id)


def mark_refunded(*, order_id: int) -> bool:
    """`confirmed | partly_refunded → partly_refunded | refunded | cancelled`, by the lines that are left. One query."""
    with connection.cursor() as cursor:
        cursor.execute(MARK_REFUNDED, [order_id])
        return cursor.rowcount == 1


def _not_yet_taken_on() -> Q:
    return Q(status=Status.PLANNED) | Q(status=Status.FAILED) & ~Q(failure=Failure.RETURNED)
