"""What the page of an order tells, read at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boxoffice.messages import tickets_ready
from boxoffice.models import Order, OrderLine
from boxoffice.selectors import lines_of_order, order_by_token
from notifications.models import Notification
from notifications.selectors import notifications_about
from tickets.models import Ticket
from tickets.selectors import tickets_of_order


@dataclass(frozen=True)
class OrderPage:
    """An order with its show and venue, its lines and tickets in the order of the seats, and its mail.

    tickets: without the void ones. mail: the newest that brings the tickets, once it is planned.
    """

    order: Order
    lines: Sequence[OrderLine]
    tickets: Sequence[Ticket]
    mail: Notification | None


def order_page(*, token: str) -> OrderPage | None:
    """What the page of the order with this secret tells, or None where there is none. Four queries."""
    order = order_by_token(token=token)
    if order is None:
        return None
    mails = notifications_about(subject=order.subject).filter(kind=tickets_ready.KIND)
    return OrderPage(
        order=order,
        lines=list(lines_of_order(order_id=order.pk)),
        tickets=[t for t in tickets_of_order(order_id=order.pk) if t.status != Ticket.Status.VOID],
        mail=mails.last(),
    )
