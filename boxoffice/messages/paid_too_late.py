"""The mail for money that bought nothing: it came when the seats were gone, twice, or not as it was asked for.

It is the only one: planned as soon as the money is planned to go back, and none follows when it has left.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from boxoffice.errors import OrderNotFound
from boxoffice.messages.base import Draft
from boxoffice.models import Payment
from boxoffice.models.order import code_of
from boxoffice.order_address import address_of
from boxoffice.selectors import order_by_code
from inventory.models import Show
from inventory.money import Money
from inventory.venue_time import in_venue_time

KIND = "paid_too_late"


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Two queries, outside any transaction. Raises OrderNotFound.

    occurrence: the number of the payment.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    payment = Payment.objects.get(pk=int(occurrence), order_id=order.pk)
    total = Money(payment.amount, payment.currency)
    show = order.show
    return Draft(
        to_name=order.name,
        subject=_("We give your money back: %(show)s") % {"show": show.title},
        preheader=_("You are refunded %(total)s. There is nothing that you need do.") % {"total": total},
        template=KIND,
        context={
            "order": order,
            "order_url": address_of(order),
            "show": show,
            "venue": show.venue,
            "starts": in_venue_time(instant=show.starts_at, zone=show.venue.zone),
            "total": total,
            "differs": payment.problem != "",
            "is_bought": order.status in ("confirmed", "partly_refunded"),
            "is_called_off": show.status == Show.Status.CANCELLED,
        },
    )
