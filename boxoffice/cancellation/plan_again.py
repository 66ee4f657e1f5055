"""An order of a cancelled show has money that is ours again: a dispute was won, and what the bank had goes back to the
fan.
"""

from __future__ import annotations

from boxoffice.cancellation.plan_orders import plan_orders
from boxoffice.models import Cancellation, Order
from jobs.enqueue import enqueue

TASK = "boxoffice.plan_order_again"


def ask_to_plan_again(*, order: Order) -> bool:
    """Let a job plan what is left of the order's payments, if its show is cancelled; whether it is. Part of the
    caller's transaction, whatever it has locked. Two queries at most.
    """
    cancelled = Cancellation.objects.filter(show_id=order.show_id).exists()
    if cancelled:
        enqueue(task=TASK, args={"order_id": order.pk}, subject=order.subject)
    return cancelled


def plan_order_again(*, order_id: int) -> int:
    """Plan it; returns how many refunds are new. Part of the caller's transaction, which has locked nothing yet."""
    order = Order.objects.get(pk=order_id)
    cancellation = Cancellation.objects.select_for_update(no_key=True).get(show_id=order.show_id)
    return plan_orders(cancellation=cancellation, order_ids=[order_id]).refunds
