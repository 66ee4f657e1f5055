"""The mail for money that bought nothing: it came when the seats were gone, twice, or not as it was asked for.

It is the only one: planned as soon as the money is planned to go back, and none follows when it has left.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from boxoffice.errors import OrderNotFound
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_order
from boxoffice.models import Order, Payment
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from inventory.money import Money

KIND = "paid_too_late"


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Two queries, outside any transaction. Raises OrderNotFound.

    occurrence: the number of the payment.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    return worded(order=order, payment=Payment.objects.get(pk=int(occurrence), order_id=order.pk))


def worded(*, order: Order, payment: Payment) -> Draft:
    """What the mail says of this payment. Pure."""
    total = Money(payment.amount, payment.currency)
    return Draft(
        to_name=order.name,
        subject=_("We give your money back: %(show)s") % {"show": isolated(order.show.title)},
        preheader=_("You are refunded %(total)s. There is nothing that you need do.") % {"total": total},
        template=KIND,
        context={
            **about_order(order),
            "total": total,
            "differs": payment.problem != "",
            "is_bought": order.status in ("confirmed", "partly_refunded"),
            "is_cancelled": order.status == Order.Status.CANCELLED,
            "is_called_off": order.show.status == Show.Status.CANCELLED,
        },
    )
