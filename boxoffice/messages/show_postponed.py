"""The mail that says that a show does not take place when it was to, and that nobody knows its new time yet.

One for each time that it is postponed. The tickets stay valid; the entry in the fan's calendar becomes tentative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.gather_places import counted
from boxoffice.messages.base import Draft
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.reminder import CANCELLED, NO_TICKETS
from boxoffice.messages.shared_context import about_money_back, about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import code_of
from boxoffice.money_back import money_back_until
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from tickets.models import Ticket
from tickets.selectors import tickets_of_order

KIND = "show_postponed"
URGENT = False

# Why it is not sent. Staff read it, in their own language.
TAKES_PLACE = gettext_noop("the show has a time again, which another mail tells if need be")


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Four queries at most, outside any transaction. occurrence: the show's version by
    that postponing.

    Raises OrderNotFound, and NothingToSay when the show was cancelled or has a time again, or when all the tickets were
    given back.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    tickets = [each for each in tickets_of_order(order_id=order.pk) if each.status != Ticket.Status.VOID]
    if order.show.status == Show.Status.CANCELLED:
        raise NothingToSay(CANCELLED)
    if order.show.status != Show.Status.POSTPONED or _later_postponing(order.show_id, version=int(occurrence)):
        raise NothingToSay(TAKES_PLACE)
    if not tickets:
        raise NothingToSay(NO_TICKETS)
    return worded(order=order, tickets=tickets, money_back=money_back_until(order=order))


def worded(*, order: Order, tickets: Sequence[Ticket], money_back: datetime | None) -> Draft:
    """What the mail says of these tickets. money_back: until when the fan may have his money back. Pure."""
    show = order.show
    back = about_money_back(order, until=money_back)
    preheader = _("The new date is not known yet. Your tickets stay valid.")
    if money_back:
        preheader = _("The new date is not known yet. You can wait, or have your money back.")
    return Draft(
        to_name=order.name,
        subject=_("Postponed: %(show)s, %(day)s") % {"show": isolated(show.title), "day": day_of(show)},
        preheader=preheader,
        template=KIND,
        context={
            **about_order(order),
            **back,
            "count": len(tickets),
            "places": [counted(*place) for place in Counter(each.seat.label for each in tickets).items()],
        },
        attachments=(calendar_file(order=order),),
    )


def _later_postponing(show_id: int, *, version: int) -> bool:
    postponings = ShowAction.objects.filter(show_id=show_id, action=ShowAction.Action.POSTPONE)
    newest = postponings.order_by("-pk").values_list("details", flat=True).first()
    return newest is not None and int(newest["version"]) > version
