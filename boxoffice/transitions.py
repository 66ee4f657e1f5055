"""Every change of an order's state: one conditional UPDATE each, whose row count decides.

Locks are taken in one order everywhere: the order, then holds by id, then seats by id.
"""

from __future__ import annotations

from dataclasses import dataclass

from boxoffice.models import Order

# Confirms an order that waits, and reads what the rest of the confirmation needs. Index: the primary keys, and
# orderline_seat_once for the seats.
CONFIRM_ORDER = """
    UPDATE boxoffice_order AS o
       SET status = 'confirmed', confirmed_at = jobs_now()
     WHERE o.id = %s AND o.status = 'pending_payment'
    RETURNING o.*, ARRAY(SELECT seat_id FROM boxoffice_orderline WHERE order_id = o.id ORDER BY seat_id) AS seat_ids
"""


@dataclass(frozen=True)
class ConfirmedOrder:
    """The order as it stands after the UPDATE, and the seats that it paid for, by id."""

    order: Order
    seat_ids: list[int]


def confirm(*, order_id: int) -> ConfirmedOrder | None:
    """`pending_payment → confirmed`. None when the order was not waiting. One query."""
    for order in Order.objects.raw(CONFIRM_ORDER, [order_id]):
        return ConfirmedOrder(order=order, seat_ids=list(order.seat_ids))  # type: ignore[attr-defined]
    return None


def correct_contact(*, order_id: int, name: str, email: str, language: str) -> bool:
    """Replace who buys, while the order still waits. False when it does not wait any more. One query."""
    waiting = Order.objects.filter(pk=order_id, status=Order.Status.PENDING_PAYMENT)
    return waiting.update(name=name, email=email, language=language) == 1
