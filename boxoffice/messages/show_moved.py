"""The mail that says that a show takes place at another time, with the entry that moves it in the fan's calendar.

One for each move. No file with tickets is attached: their codes stay, so those that the fan has admit him, and the
order's page has those with the new date.
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
from boxoffice.messages.reminder import BEGUN, CANCELLED, NO_TICKETS, POSTPONED
from boxoffice.messages.shared_context import about_money_back, about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import code_of
from boxoffice.money_back import money_back_until
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from tickets.models import Ticket
from tickets.selectors import tickets_of_order

KIND = "show_moved"
URGENT = False

# Why it is not sent. Staff read it, in their own language.
MOVED_AGAIN = gettext_noop("the show was moved once more, which another mail tells")


def occurrence_of(*, version: int) -> str:
    """What tells the mail about one move of a show apart from others: the version that it had by it."""
    return str(version)


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Four queries at most, outside any transaction.

    Raises OrderNotFound, and NothingToSay when the show was moved once more, cancelled or postponed or has begun, or
    when all the tickets were given back.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    tickets = [each for each in tickets_of_order(order_id=order.pk) if each.status != Ticket.Status.VOID]
    was, was_postponed = _before(show_id=order.show_id, version=int(occurrence))
    _refuse_what_is_not_so_any_more(order, tickets)
    back = money_back_until(order=order)
    return worded(order=order, tickets=tickets, was=was, was_postponed=was_postponed, money_back=back)


def worded(
    *,
    order: Order,
    tickets: Sequence[Ticket],
    was: datetime | None,
    was_postponed: bool = False,
    money_back: datetime | None = None,
) -> Draft:
    """What the mail says of these tickets. was: when it was to start before, None where nobody knows that any more.
    was_postponed: it had no time until now. money_back: until when the fan may have his money back. Pure.
    """
    show, about = order.show, about_order(order)
    return Draft(
        to_name=order.name,
        subject=_("New date: %(show)s, now %(day)s") % {"show": isolated(show.title), "day": day_of(show)},
        preheader=_("It starts %(starts)s. Your tickets stay valid.") % {"starts": about["starts"]},
        template=KIND,
        context={
            **about,
            **about_money_back(order, until=money_back),
            "was_postponed": was_postponed,
            "count": len(tickets),
            "places": [counted(*place) for place in Counter(each.seat.label for each in tickets).items()],
            "was": in_venue_time(instant=was, zone=show.venue.zone) if was else "",
        },
        attachments=(calendar_file(order=order),),
    )


def _before(*, show_id: int, version: int) -> tuple[datetime | None, bool]:
    """When the show was to start before that move, and whether it was postponed then. Raises NothingToSay where it was
    moved once more.
    """
    moves = ShowAction.objects.filter(show_id=show_id, action=ShowAction.Action.MOVE).values_list("details", flat=True)
    known = {details["version"]: details for details in moves}
    if any(later > version for later in known):
        raise NothingToSay(MOVED_AGAIN)
    if version not in known:
        return None, False
    return datetime.fromisoformat(known[version]["from"]), bool(known[version].get("was_postponed"))


def _refuse_what_is_not_so_any_more(order: Order, tickets: Sequence[Ticket]) -> None:
    show = order.show
    if show.status == Show.Status.CANCELLED:
        raise NothingToSay(CANCELLED)
    if show.status == Show.Status.POSTPONED:
        raise NothingToSay(POSTPONED)
    if show.status != Show.Status.SCHEDULED or show.starts_at <= database_now():
        raise NothingToSay(BEGUN)
    if not tickets:
        raise NothingToSay(NO_TICKETS)
