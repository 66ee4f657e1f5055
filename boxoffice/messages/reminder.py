"""The mail that reminds of a show: when it starts, when the doors open, where, which seats, the way to the tickets.

No file is attached: the order's page knows which tickets are valid today, and the mail with the tickets is named. No
word such as "tomorrow" either: nobody knows on which day a mail is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.gather_places import counted
from boxoffice.messages import tickets_ready
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_in_words, day_of
from boxoffice.models import Order
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from jobs.clock import database_now
from notifications.selectors import notifications_about
from tickets.models import Ticket
from tickets.selectors import tickets_of_order

KIND = "reminder"
URGENT = False

# Why a reminder that was planned is not sent. Staff read it, in their own language.
CANCELLED = gettext_noop("the show is cancelled")
POSTPONED = gettext_noop("the show is postponed")
BEGUN = gettext_noop("the show had begun")
NO_TICKETS = gettext_noop("no ticket of the order is valid any more")

_SOLD = (Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED)
_READY = (Ticket.Status.ISSUED, Ticket.Status.USED)


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. Four queries, outside any transaction.

    Raises OrderNotFound, and NothingToSay when the show was cancelled or postponed or has begun meanwhile, or when all
    the tickets were given back.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    created = list(tickets_of_order(order_id=order.pk))
    tickets = [each for each in created if each.status != Ticket.Status.VOID]
    _refuse_what_is_not_so_any_more(order, tickets)
    # An earlier mail may hold tickets that are void by now: the order's page alone is named then.
    tickets_mailed = _day_of_the_mail_with_tickets(order) if len(tickets) == len(created) else ""
    return worded(order=order, tickets=tickets, tickets_mailed=tickets_mailed)


def worded(*, order: Order, tickets: Sequence[Ticket], tickets_mailed: str) -> Draft:
    """What the mail says of these tickets. tickets_mailed: the day of the mail that brought them, or empty. Pure."""
    show = order.show
    about = about_order(order)
    return Draft(
        to_name=order.name,
        subject=_("Reminder: %(show)s, %(day)s") % {"show": isolated(show.title), "day": day_of(show)},
        preheader=_("Doors open at %(doors)s. %(starts)s, %(venue)s.") % {**about, "venue": isolated(show.venue.name)},
        template=KIND,
        context={
            **about,
            "count": len(tickets),
            "places": [counted(*place) for place in Counter(each.seat.label for each in tickets).items()],
            "tickets_are_ready": all(each.status in _READY for each in tickets),
            "tickets_mailed": tickets_mailed,
        },
    )


def _refuse_what_is_not_so_any_more(order: Order, tickets: list[Ticket]) -> None:
    show = order.show
    if show.status == Show.Status.CANCELLED:
        raise NothingToSay(CANCELLED)
    if show.status == Show.Status.POSTPONED:
        raise NothingToSay(POSTPONED)
    if show.status != Show.Status.SCHEDULED or show.starts_at <= database_now():
        raise NothingToSay(BEGUN)
    if order.status not in _SOLD or not tickets:
        raise NothingToSay(NO_TICKETS)


def _day_of_the_mail_with_tickets(order: Order) -> str:
    """The day on which it was sent, by the venue's calendar; empty if it was not, or did not arrive."""
    mails = notifications_about(subject=order.subject).filter(kind=tickets_ready.KIND, status__in=("sent", "delivered"))
    sent_at = mails.values_list("sent_at", flat=True).last()
    return day_in_words(sent_at.astimezone(order.show.venue.zone)) if sent_at else ""
