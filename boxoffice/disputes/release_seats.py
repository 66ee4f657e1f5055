"""A dispute is lost: its seats go back on sale, and no money moves, since who paid has it back from his bank."""

from __future__ import annotations

from boxoffice.disputes.share import are_about, is_whole
from boxoffice.disputes.standing import LOST
from boxoffice.models import Dispute, OrderAction, OrderLine
from boxoffice.refunds.errors import NothingToRefund
from boxoffice.refunds.refund_order import RefundedOrder, refund_order


def may_be_released(*, order_id: int) -> bool:
    """Whether disputes about a whole payment, or about all that the seats left cost, are lost. Two queries."""
    lost = list(Dispute.objects.filter(payment__order_id=order_id, status__in=LOST).select_related("payment"))
    if any(is_whole(dispute) for dispute in lost):
        return True
    left = OrderLine.objects.filter(order_id=order_id, refunded_at__isnull=True).values_list("price", flat=True)
    return are_about(lost, price=sum(left))


def release_seats(*, order_id: int, by: str, reason: str, even_used: bool = False) -> RefundedOrder:
    """Give all seats that are left back, without a refund and without a mail; the order's trail says who and why.

    An appeal that is won afterwards brings no ticket back: the seats may be somebody else's. One transaction. Raises
    what ``refund_order`` raises, and NothingToRefund where no dispute of the order is lost.
    """
    if not may_be_released(order_id=order_id):
        raise NothingToRefund
    return refund_order(
        order_id=order_id,
        by=by,
        reason=reason,
        even_used=even_used,
        action=OrderAction.Action.CANCEL,
        without_money=True,
    )
