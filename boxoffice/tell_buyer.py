"""Planning the mail of one kind about an order, to the address that the order has."""

from __future__ import annotations

from boxoffice.errors import OrderNotFound
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Order
from notifications.plan import plan_notification, require_transaction


def plan_mail_about(*, order_id: int, kind: str, occurrence: str = "") -> Order:
    """Plan it, once for each occurrence, and return the order, locked. Part of the caller's transaction.

    Whoever corrects the address meanwhile waits, and then finds this mail among those that go to the new one. Locks of
    the order's payments come before this one: see ``boxoffice.transitions``.
    Raises NotInTransaction outside a transaction, and OrderNotFound.
    """
    require_transaction()
    order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    plan_notification(
        kind=kind,
        subject=order.subject,
        recipient=order.email,
        language=order.language,
        task=mail_task(kind=kind),
        occurrence=occurrence,
    )
    return order
