"""Every change of an order's state: one conditional UPDATE each, whose row count decides.

Locks are taken in one order everywhere: the payment, the show, the order, then holds by id, then seats by id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from boxoffice.models import Order, OrderLine

# Confirms an order that waits, and reads what the rest of the confirmation needs. The show is locked first: it takes
# place, and nobody calls it off until we have committed. Index: the primary keys, and orderline_seat_once.
CONFIRM_ORDER = """
    WITH show AS MATERIALIZED (
        SELECT inventory_show.id
          FROM boxoffice_order AS waiting JOIN inventory_show ON inventory_show.id = waiting.show_id
         WHERE waiting.id = %(order_id)s AND inventory_show.status IN ('scheduled', 'postponed')
           FOR SHARE OF inventory_show
    )
    UPDATE boxoffice_order AS o
       SET status = 'confirmed', confirmed_at = jobs_now(), hold_id = coalesce(%(hold_id)s, o.hold_id)
      FROM show
     WHERE o.id = %(order_id)s AND o.show_id = show.id AND o.status = ANY(%(may_come_from)s::text[])
    RETURNING o.*, ARRAY(SELECT seat_id FROM boxoffice_orderline WHERE order_id = o.id ORDER BY seat_id) AS seat_ids
"""

# An order that nobody can pay any more: its hold is over and none of its attempts is open. By primary key,
# payment_one_open_per_order.
EXPIRE_ORDER = """
    UPDATE boxoffice_order AS o SET status = 'expired'
     WHERE o.id = %(order_id)s AND o.status = 'pending_payment'
       AND EXISTS (SELECT 1 FROM inventory_hold AS hold WHERE hold.id = o.hold_id
                    AND (hold.status IN ('expired', 'released')
                         OR (hold.status = 'active' AND hold.expires_at <= jobs_now())))
       AND NOT EXISTS (SELECT 1 FROM boxoffice_payment AS open
                        WHERE open.order_id = o.id AND open.status IN ('created', 'pending'))
"""

# Money came for what could not be sold any more. By primary key.
EXPIRE_ORDER_PAID_TOO_LATE = """
    UPDATE boxoffice_order SET status = 'expired' WHERE id = %(order_id)s AND status = 'pending_payment'
"""

_WAITING = (Order.Status.PENDING_PAYMENT,)
_LATE = (Order.Status.PENDING_PAYMENT, Order.Status.EXPIRED)


@dataclass(frozen=True)
class ConfirmedOrder:
    """The order as it stands after the UPDATE, and the seats that it paid for, by id."""

    order: Order
    seat_ids: list[int]


def confirm(*, order_id: int) -> ConfirmedOrder | None:
    """`pending_payment → confirmed`. None when the order was not waiting, or its show was called off. One query."""
    return _confirmed(order_id=order_id, hold_id=None, may_come_from=_WAITING)


def confirm_late(*, order_id: int, hold_id: int) -> ConfirmedOrder | None:
    """`pending_payment | expired → confirmed`, by another hold of its seats. None as for ``confirm``. One query."""
    return _confirmed(order_id=order_id, hold_id=hold_id, may_come_from=_LATE)


def expire(*, order_id: int) -> bool:
    """`pending_payment → expired`, once its hold is over and no attempt to pay is open. One query."""
    return _count(EXPIRE_ORDER, order_id=order_id) == 1


def expire_paid_too_late(*, order_id: int) -> bool:
    """`pending_payment → expired`, though money came, which is to be given back. One query."""
    return _count(EXPIRE_ORDER_PAID_TOO_LATE, order_id=order_id) == 1


def correct_contact(*, order_id: int, name: str, email: str, language: str) -> bool:
    """Replace who buys, while the order still waits. False when it does not wait any more. One query."""
    waiting = Order.objects.filter(pk=order_id, status=Order.Status.PENDING_PAYMENT)
    return waiting.update(name=name, email=email, language=language) == 1


def correct_address(*, order_id: int, email: str) -> bool:
    """Replace the mail address, whatever became of the order. False when it is this one already. One query."""
    return Order.objects.filter(pk=order_id).exclude(email=email).update(email=email) == 1


def correct_name(*, order_id: int, name: str) -> bool:
    """Replace the name, whatever became of the order. False when it is this one already. One query."""
    return Order.objects.filter(pk=order_id).exclude(name=name).update(name=name) == 1


def cancel(*, order_id: int) -> bool:
    """`pending_payment → cancelled`: staff say so, and nothing was sold. One query."""
    waiting = Order.objects.filter(pk=order_id, status=Order.Status.PENDING_PAYMENT)
    return waiting.update(status=Order.Status.CANCELLED) == 1


def move_line(*, line_id: int, from_id: int, to_id: int, tier_name: str) -> bool:
    """Let a line that was not given back stand for another seat, at its price. False where it has moved. One query."""
    line = OrderLine.objects.filter(pk=line_id, seat_id=from_id, refunded_at__isnull=True)
    return line.update(seat_id=to_id, tier_name=tier_name) == 1


def _confirmed(*, order_id: int, hold_id: int | None, may_come_from: Sequence[str]) -> ConfirmedOrder | None:
    values = {"order_id": order_id, "hold_id": hold_id, "may_come_from": [str(status) for status in may_come_from]}
    for order in Order.objects.raw(CONFIRM_ORDER, values):
        return ConfirmedOrder(order=order, seat_ids=list(order.seat_ids))  # type: ignore[attr-defined]
    return None


def _count(sql: str, **values: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)
