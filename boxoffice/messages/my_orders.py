"""The mail to whoever asked for his orders: the links to their pages."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import NothingToSay
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_order
from boxoffice.models import Order
from boxoffice.self_help.orders_of_address import AFTER_THE_SHOW_DAYS, orders_of_address

KIND = "my_orders"

# Why a mail that was planned is not sent. Staff read it, in their own language.
NO_ORDERS = gettext_noop("the address has no orders any more")


def draft(*, subject: str, recipient: str) -> Draft:
    """The mail to this address as things stand now. Two queries, outside any transaction. Raises NothingToSay."""
    orders = orders_of_address(email=recipient)
    if not orders:
        raise NothingToSay(NO_ORDERS)
    return worded(orders=orders)


def worded(*, orders: Sequence[Order]) -> Draft:
    """What the mail says of these orders, which come with show and venue. Pure."""
    count = len(orders)
    return Draft(
        to_name="",
        subject=ngettext("Your order with us", "Your %(count)d orders with us", count) % {"count": count},
        preheader=_("You asked for the links to your orders. Whoever has them can see the tickets."),
        template=KIND,
        context={"orders": [about_order(order) for order in orders], "days": AFTER_THE_SHOW_DAYS},
    )
