"""What an order's fan is told on the devices that asked to be told."""

from __future__ import annotations

from django.db import transaction

from boxoffice.messages import tickets_ready
from boxoffice.models import Order
from notifications.channels.push.plan import plan_push
from notifications.channels.push.subscribe import subscribe
from notifications.selectors import notifications_about


def plan_push_about(*, order: Order, kind: str, occurrence: str = "") -> int:
    """Plan one message for each of them, beside the mail of the same kind; how many are new. Two statements.

    Part of the caller's transaction. A second call for the same occurrence plans nothing but for devices that came
    meanwhile.
    """
    return plan_push(kind=kind, subject=order.subject, occurrence=occurrence, task="boxoffice.send_push")


def tell_device(
    *, order: Order, endpoint: str, p256dh: str, auth: str, language: str, waits_for_tickets: bool = False
) -> None:
    """Tell this device of the order from now on. Four statements, and one for a device that waits for the tickets.

    waits_for_tickets: its page did not show them yet. When they have come meanwhile, it is told so all the same.
    The rest, and what it raises: as ``subscribe``.
    """
    with transaction.atomic():
        subscribe(subject=order.subject, endpoint=endpoint, p256dh=p256dh, auth=auth, language=language)
        told = notifications_about(subject=order.subject).filter(kind=tickets_ready.KIND)
        if waits_for_tickets and told.exists():
            plan_push_about(order=order, kind=tickets_ready.KIND)
