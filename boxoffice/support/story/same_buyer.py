"""What else the same address bought of the same show: whether a fan was charged twice."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Lower

from boxoffice.models import Order

MOST = 10
"""Orders that are listed; an agency buys more, and is looked for by its address."""

_SOLD = (Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED)


def orders_of_same_buyer(*, order: Order) -> list[Order]:
    """Other orders of this address for this show of which something is sold, the oldest first. One query at most, by
    order_by_buyer.
    """
    if not order.email:
        return []
    others = Order.objects.alias(address=Lower("email")).filter(
        show_id=order.show_id, address=Lower(Value(order.email)), status__in=_SOLD
    )
    return list(others.exclude(pk=order.pk).order_by("pk")[:MOST])
