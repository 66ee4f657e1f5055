"""Planning the mail that brings an order's tickets, and the word about them to the devices that wait for it."""

from __future__ import annotations

from boxoffice.errors import OrderNotFound
from boxoffice.messages import tickets_ready
from boxoffice.models import Order
from boxoffice.tell_devices import plan_push_about
from notifications.plan import plan_notification, require_transaction


def plan_tickets_mail(*, order_id: int) -> None:
    """Plan the mail to the order's address, and a push message to each device that asked, once each. Requires a
    transaction.

    The plan names kind, subject and language and holds no content; what it says is drafted when it is sent.
    Raises OrderNotFound, and NotInTransaction outside a transaction.
    """
    require_transaction()
    # Whoever corrects its address meanwhile waits, and then finds this mail among those that go to the new one.
    order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    plan_notification(
        kind=tickets_ready.KIND,
        subject=order.subject,
        recipient=order.email,
        language=order.language,
        task="boxoffice.send_message",
    )
    plan_push_about(order=order, kind=tickets_ready.KIND)
