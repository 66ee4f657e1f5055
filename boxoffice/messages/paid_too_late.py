"""The mail for money that came when the seats were gone: it goes back, all of it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from boxoffice.errors import OrderNotFound
from boxoffice.messages.base import Draft
from boxoffice.models.order import code_of
from boxoffice.order_address import address_of
from boxoffice.selectors import order_by_code
from inventory.models import Show
from inventory.venue_time import in_venue_time

KIND = "paid_too_late"


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. One query, outside any transaction. Raises OrderNotFound."""
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    show = order.show
    return Draft(
        to_name=order.name,
        subject=_("We give your money back: %(show)s") % {"show": show.title},
        preheader=_("You are refunded %(total)s. There is nothing that you need do.") % {"total": order.money},
        template=KIND,
        context={
            "order": order,
            "order_url": address_of(order),
            "show": show,
            "venue": show.venue,
            "starts": in_venue_time(instant=show.starts_at, zone=show.venue.zone),
            "total": order.money,
            "is_bought": order.status in ("confirmed", "partly_refunded"),
            "is_called_off": show.status == Show.Status.CANCELLED,
        },
    )
