"""Cancelling an order: one that waits for its payment as void without money, a confirmed one by refunding all of it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from boxoffice import transitions
from boxoffice.changes.errors import NotToBeCancelled
from boxoffice.changes.trail import write_action
from boxoffice.errors import OrderNotFound
from boxoffice.models import Order, OrderAction
from boxoffice.payments.close_page import close_page
from boxoffice.refunds.refund_order import RefundedOrder, refund_order
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.release_hold import release_hold
from jobs.audit import require_reason


@dataclass(frozen=True)
class CancelledOrder:
    """What was done. refunded: for a confirmed order. seats_freed: of one that waited, whether this gave them back;
    page_closed: whether a job ends its payment page."""

    order: Order
    refunded: RefundedOrder | None = None
    seats_freed: bool = False
    page_closed: bool = False


def cancel_order(*, order_id: int, by: str, reason: str, even_used: bool = False) -> CancelledOrder:
    """Cancel the order. One transaction.

    A confirmed one: all that is left of it is refunded, as ``refund_order`` says, so that it ends as refunded, or as
    cancelled where nothing was to pay. One that waits for its payment is cancelled, its hold released, and its payment
    page closed by a job; money that comes all the same goes back, and its fan is told.

    by, reason: kept in the order's trail. even_used: also where somebody has gone in.

    Raises ReasonMissing, OrderNotFound, NotToBeCancelled, and what ``refund_order`` raises.
    """
    require_reason(by=by, reason=reason)
    order = Order.objects.select_related("hold").filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    if order.status in REFUNDABLE:
        done = refund_order(
            order_id=order_id, by=by, reason=reason, even_used=even_used, action=OrderAction.Action.CANCEL
        )
        return CancelledOrder(order=done.order, refunded=done)
    with transaction.atomic():
        if not transitions.cancel(order_id=order.pk):
            raise NotToBeCancelled
        order.status = Order.Status.CANCELLED
        freed = release_hold(token=order.hold.token)
        closed = close_page(hold_id=order.hold_id)
        write_action(order=order, action=OrderAction.Action.CANCEL, by=by, reason=reason)
    return CancelledOrder(order=order, seats_freed=freed, page_closed=closed)
