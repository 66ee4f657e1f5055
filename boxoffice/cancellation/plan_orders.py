"""Planning what becomes of some orders of a cancelled show: set-based SQL, one transaction, whatever kinds they are.

| order | then |
|---|---|
| paid | what is left of its payments goes back |
| partly refunded | the rest |
| refunded before | nothing; an attempt that failed is tried again |
| free | cancelled |
| paid by hand | planned, and waits for ``pay_out`` |
| disputed, open or lost | nothing: the bank has the money |
| not paid yet | nothing: money that comes all the same goes back (``settle_payment``) and is counted (``count_in``) |
| used tickets | as any other: the show did not take place |

Guarantee: see Note [What is owed]. However often it is called for an order, nothing is planned twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from boxoffice.cancellation.owed import COMES_BACK, DISPUTED, LEFT
from boxoffice.models import Cancellation, Order
from boxoffice.models.order import subject_of
from boxoffice.refunds.transitions import LONGEST_REASON, REFUNDABLE
from jobs.enqueue_selected import enqueue_selected
from jobs.new_job import require_transaction

SENDING = "boxoffice.send_mass_refund"

# See Note [Order of locks]. By the foreign key's index.
LOCK_PAYMENTS = """
    SELECT id, order_id, method = 'online' FROM boxoffice_payment WHERE order_id = ANY(%(order_ids)s::bigint[])
     ORDER BY id FOR NO KEY UPDATE
"""

# By primary key.
LOCK_ORDERS = """
    SELECT id, code, status FROM boxoffice_order WHERE id = ANY(%(order_ids)s::bigint[])
     ORDER BY id FOR NO KEY UPDATE
"""

# Earlier attempts that failed are tried again, each by a row and a key of its own, as far as the money is left: of one
# that was refused since somebody had given a part back by hand, the rest. What one without an answer asked for counts
# as given away already. By the foreign keys' indexes.
TRY_FAILED_AGAIN = f"""
    WITH payment AS (
        SELECT payment.id, {LEFT} AS money_left FROM boxoffice_payment AS payment
         WHERE payment.id = ANY(%(payment_ids)s::bigint[]) AND payment.method = 'online' AND {COMES_BACK}
    ), failed AS (
        SELECT refund.*, money_left,
               sum(CASE WHEN refund.failure = 'unanswered' THEN 0 ELSE refund.amount END)
                   OVER (PARTITION BY refund.payment_id ORDER BY refund.id) AS taken
          FROM payment JOIN boxoffice_refund AS refund ON refund.payment_id = payment.id
         WHERE refund.status = 'failed'
           AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id)
    )
    INSERT INTO boxoffice_refund (payment_id, status, amount, currency, reason, idempotency_key, provider_id,
                                  created_at, failure, failure_code, failure_message, replaces_id, cancellation_id)
    SELECT payment_id, 'planned',
           CASE WHEN failure = 'unanswered' THEN amount ELSE least(amount, money_left - (taken - amount)) END,
           currency, reason, 'refund-' || gen_random_uuid(), '', jobs_now(), '', '', '', id, %(cancellation)s
      FROM failed WHERE failure = 'unanswered' OR money_left > taken - amount ORDER BY id
    ON CONFLICT (replaces_id) DO NOTHING
    RETURNING id, payment_id, currency, amount
"""  # noqa: S608 - constants

# A line's refund is always the newest. By the foreign key's index.
HAND_LINES_ON = """
    UPDATE boxoffice_orderline AS line SET refund_id = later.id
      FROM boxoffice_refund AS later
     WHERE later.id = ANY(%(again_ids)s::bigint[]) AND line.refund_id = later.replaces_id
"""

# What is left of each payment. OFFSET 0 lets it be reckoned once and not again for the condition. By the primary key
# and the foreign keys' indexes.
PLAN_THE_REST = f"""
    INSERT INTO boxoffice_refund (payment_id, status, amount, currency, reason, idempotency_key, provider_id,
                                  created_at, failure, failure_code, failure_message, replaces_id, cancellation_id,
                                  by_hand)
    SELECT id, 'planned', money_left, currency, %(reason)s, 'refund-' || gen_random_uuid(), '', jobs_now(), '', '', '',
           NULL, %(cancellation)s, method <> 'online'
      FROM (SELECT payment.id, payment.method, payment.currency, {LEFT} AS money_left FROM boxoffice_payment AS payment
             WHERE payment.id = ANY(%(payment_ids)s::bigint[]) AND {COMES_BACK}
            OFFSET 0) AS payment
     WHERE money_left > 0 ORDER BY id
    RETURNING id, payment_id, currency, amount
"""  # noqa: S608 - constants

# All lines that are left are given back, and paid for by what was planned for the order; so are those that had been
# given back while the bank had the money. The order's trail says so. By orderline_seat_once.
GIVE_LINES_BACK = """
    WITH paying AS (
        SELECT order_id, min(id) AS id
          FROM unnest(%(rest_ids)s::bigint[], %(rest_of)s::bigint[]) AS refund (id, order_id)
         GROUP BY order_id
    ), given AS (
        UPDATE boxoffice_orderline AS line
           SET refunded_at = coalesce(line.refunded_at, jobs_now()),
               refund_id = CASE WHEN line.price > 0 THEN paying.id END
          FROM unnest(%(order_ids)s::bigint[]) AS o (id) LEFT JOIN paying ON paying.order_id = o.id
         WHERE line.order_id = o.id AND line.order_id = ANY(%(order_ids)s::bigint[])
           AND (line.refunded_at IS NULL AND o.id = ANY(%(live_ids)s::bigint[])
                OR line.refunded_at IS NOT NULL AND line.refund_id IS NULL AND line.price > 0 AND paying.id IS NOT NULL)
        RETURNING line.id, line.order_id
    )
    INSERT INTO boxoffice_orderaction (order_id, action, by, reason, at, details, line_ids, refund_id)
    SELECT live.id, 'show cancelled', %(by)s, %(why)s, jobs_now(), '{}',
           coalesce(array_agg(given.id ORDER BY given.id) FILTER (WHERE given.id IS NOT NULL), '{}'),
           paying.id
      FROM unnest(%(live_ids)s::bigint[]) AS live (id)
      LEFT JOIN given ON given.order_id = live.id
      LEFT JOIN paying ON paying.order_id = live.id
     GROUP BY live.id, paying.id ORDER BY live.id
"""

# `confirmed | partly_refunded → refunded | cancelled`: no line is left. By primary key.
MARK_REFUNDED = """
    UPDATE boxoffice_order SET status = CASE WHEN total = 0 THEN 'cancelled' ELSE 'refunded' END
     WHERE id = ANY(%(live_ids)s::bigint[]) AND status IN ('confirmed', 'partly_refunded')
"""

# `pending_payment → expired`: its hold was released, and nobody can pay it any more. By primary key and
# payment_one_open_per_order.
EXPIRE_UNPAID = """
    UPDATE boxoffice_order AS o SET status = 'expired'
     WHERE o.id = ANY(%(order_ids)s::bigint[]) AND o.status = 'pending_payment'
       AND NOT EXISTS (SELECT 1 FROM boxoffice_payment AS open
                        WHERE open.order_id = o.id AND open.status IN ('created', 'pending'))
"""

# What there was to do for each order that had tickets or has to do with money. One that was counted in before, or comes
# again, keeps its kind unless there was more to do. By the primary keys and the foreign key's index.
NOTE_ORDERS = f"""
    WITH planned AS (
        SELECT order_id, sum(amount) AS due, bool_or(online) AS online
          FROM unnest(%(new_of)s::bigint[], %(amounts)s::bigint[], %(online)s::boolean[])
            AS refund (order_id, amount, online)
         GROUP BY order_id
    ), money AS (
        SELECT payment.order_id, bool_or(payment.status = 'succeeded') AS paid,
               bool_or(payment.status = 'succeeded' AND {DISPUTED}) AS disputed
          FROM boxoffice_payment AS payment
         WHERE payment.order_id = ANY(%(order_ids)s::bigint[]) AND payment.status IN ('succeeded', 'created', 'pending')
         GROUP BY payment.order_id
    ), noted AS (
        INSERT INTO boxoffice_cancelledorder AS known (order_id, cancellation_id, kind, due, is_told, planned_at)
        SELECT o.id, %(cancellation)s,
               CASE WHEN planned.online THEN 'refund' WHEN planned.due > 0 THEN 'by hand'
                    WHEN money.disputed THEN 'disputed' WHEN money.paid THEN 'refunded'
                    WHEN o.id = ANY(%(live_ids)s::bigint[]) THEN 'free' ELSE 'unpaid' END,
               coalesce(planned.due, 0), o.id = ANY(%(live_ids)s::bigint[]), jobs_now()
          FROM unnest(%(order_ids)s::bigint[]) AS o (id)
          LEFT JOIN money ON money.order_id = o.id
          LEFT JOIN planned ON planned.order_id = o.id
         WHERE money.order_id IS NOT NULL OR o.id = ANY(%(live_ids)s::bigint[])
         ORDER BY o.id
        ON CONFLICT (order_id) DO UPDATE
           SET due = known.due + excluded.due, is_told = known.is_told OR excluded.is_told,
               kind = CASE WHEN excluded.due > 0 AND known.kind <> 'late' THEN excluded.kind ELSE known.kind END
        RETURNING kind
    )
    SELECT kind, count(*) FROM noted GROUP BY kind
"""  # noqa: S608 - constants

# Money in our own hands has none: staff pay it out. Reads nothing but what it is given.
JOBS = """
    SELECT jsonb_build_object('refund_id', id) AS args, %(about)s || code AS subject
      FROM unnest(%(to_send)s::bigint[], %(codes)s::text[]) AS refund (id, code) ORDER BY id
"""


@dataclass(frozen=True)
class Planned:
    """What was planned, as it is written down: orders by what there was to do, refunds, money by currency in its minor
    unit.
    """

    orders: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    refunds: int = 0
    money: dict[str, int] = field(default_factory=dict)


class _New(NamedTuple):
    """A refund that was planned just now. amount: in the currency's minor unit."""

    pk: int
    order_id: int
    online: bool
    currency: str
    amount: int


def plan_orders(*, cancellation: Cancellation, order_ids: Sequence[int]) -> Planned:
    """Plan what becomes of these orders of the show. Part of the caller's transaction, who has locked the cancellation.

    Eight statements, however many orders, and two more where there is something for them. Their tickets and seats come
    with the mails (``take_back``). Raises NotInTransaction outside a transaction.
    """
    require_transaction(using="default")
    if not order_ids:
        return Planned()
    values: dict[str, Any] = {
        "order_ids": _array(order_ids),
        "cancellation": cancellation.pk,
        "reason": cancellation.reason[:LONGEST_REASON],
        "by": cancellation.by,
        "why": cancellation.reason,
        "about": subject_of(code=""),
    }
    payments = {pk: (order_id, online) for pk, order_id, online in _rows(LOCK_PAYMENTS, values)}
    values["payment_ids"] = _array(payments)
    orders = {pk: (code, status) for pk, code, status in _rows(LOCK_ORDERS, values)}
    again, rest = (
        [_New(pk, *payments[payment_id], currency, amount) for pk, payment_id, currency, amount in _rows(sql, values)]
        for sql in (TRY_FAILED_AGAIN, PLAN_THE_REST)
    )
    new = again + rest
    to_send = [refund for refund in new if refund.online]
    values |= {
        "live_ids": _array(pk for pk, (_code, status) in orders.items() if status in REFUNDABLE),
        "rest_ids": _array(refund.pk for refund in rest),
        "rest_of": _array(refund.order_id for refund in rest),
        "again_ids": _array(refund.pk for refund in again),
        "new_of": _array(refund.order_id for refund in new),
        "amounts": _array(refund.amount for refund in new),
        "online": [refund.online for refund in new],
        "to_send": _array(refund.pk for refund in to_send),
        "codes": [orders[refund.order_id][0] for refund in to_send],
    }
    if again:
        _run(HAND_LINES_ON, values)
    _run(GIVE_LINES_BACK, values)
    _run(MARK_REFUNDED, values)
    if any(status == Order.Status.PENDING_PAYMENT for _code, status in orders.values()):
        _run(EXPIRE_UNPAID, values)
    kinds = dict(_rows(NOTE_ORDERS, values))
    enqueue_selected(task=SENDING, rows=JOBS, params=values)
    money = Counter[str]()
    for refund in new:
        money[refund.currency] += refund.amount
    return Planned(orders=sum(kinds.values()), kinds=kinds, refunds=len(new), money=dict(money))


def _array(numbers: Iterable[int]) -> str:
    """An array as PostgreSQL reads it. The driver would take each number by itself, at each place where it stands."""
    return f"{{{','.join(map(str, numbers))}}}"


def _rows(sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _run(sql: str, values: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
