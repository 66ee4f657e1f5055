"""The mail that says "we are on it": the seats are sold, and their tickets take longer than anybody should wait."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_of
from boxoffice.messages.tickets_ready import GIVEN_BACK
from boxoffice.models import Order
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from tickets.models import Ticket
from tickets.selectors import tickets_of_order

KIND = "tickets_late"

# Why it is not sent. Staff read it, in their own language.
ISSUED = gettext_noop("the tickets were issued meanwhile")

_NOT_MADE = (Ticket.Status.PENDING, Ticket.Status.FAILED)


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. Two queries, outside any transaction.

    Raises OrderNotFound, and NothingToSay when the tickets have been issued meanwhile, or were given back.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    tickets = [each for each in tickets_of_order(order_id=order.pk) if each.status != Ticket.Status.VOID]
    if not tickets:
        raise NothingToSay(GIVEN_BACK)
    if not any(each.status in _NOT_MADE for each in tickets):
        raise NothingToSay(ISSUED)
    return worded(order=order, tickets=tickets)


def worded(*, order: Order, tickets: Sequence[Ticket]) -> Draft:
    """What the mail says of these tickets. Pure."""
    count = len(tickets)
    return Draft(
        to_name=order.name,
        subject=ngettext(
            "Your ticket takes a little longer: %(show)s, %(day)s",
            "Your tickets take a little longer: %(show)s, %(day)s",
            count,
        )
        % {"show": isolated(order.show.title), "day": day_of(order.show)},
        preheader=ngettext(
            "Your seat is safe, and the ticket follows by mail.",
            "Your seats are safe, and the tickets follow by mail.",
            count,
        ),
        template=KIND,
        context={**about_order(order), "places": [each.seat.label for each in tickets]},
    )
