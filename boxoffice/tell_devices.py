"""Planning what an order's fan is told on the devices that asked to be told."""

from __future__ import annotations

from boxoffice.models import Order
from notifications.channels.push.plan import plan_push


def plan_push_about(*, order: Order, kind: str, occurrence: str = "") -> int:
    """One message for each of them, beside the mail of the same kind; how many are new. One statement.

    Part of the caller's transaction. A second call for the same occurrence plans nothing but for devices that came
    meanwhile.
    """
    return plan_push(kind=kind, subject=order.subject, occurrence=occurrence, task="boxoffice.send_push")
