"""The mail that says that a show takes place at its old time after all, to whom a mail has said that it was postponed.

One for each time. The entry in the fan's calendar is certain again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.gather_places import counted
from boxoffice.messages import show_postponed
from boxoffice.messages.base import Draft
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.reminder import BEGUN, CANCELLED, NO_TICKETS, POSTPONED
from boxoffice.messages.shared_context import about_money_back, about_order
from boxoffice.messages.show_moved import MOVED_AGAIN
from boxoffice.messages.show_times import day_of
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import code_of
from boxoffice.money_back import money_back_until
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from jobs.clock import database_now
from notifications.models import Notification
from tickets.models import Ticket
from tickets.selectors import tickets_of_order

KIND = "show_goes_on"
URGENT = False

# Why it is not sent. Staff read it, in their own language.
NEVER_TOLD = gettext_noop("no mail has told that the show was postponed")

NOT_TOLD = (Notification.Status.SUPPRESSED, Notification.Status.FAILED)


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Six queries at most, outside any transaction. occurrence: the show's version by the
    change that let it go on.

    Raises OrderNotFound, and NothingToSay when no mail has said or may yet say that the show was postponed; when it was
    postponed again, moved or cancelled since, or has begun; or when all the tickets were given back.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    tickets = [each for each in tickets_of_order(order_id=order.pk) if each.status != Ticket.Status.VOID]
    _refuse_what_is_not_so(order, tickets, version=int(occurrence))
    return worded(order=order, tickets=tickets, money_back=money_back_until(order=order))


def worded(*, order: Order, tickets: Sequence[Ticket], money_back: datetime | None = None) -> Draft:
    """What the mail says of these tickets. money_back: until when the fan may have his money back. Pure."""
    show, about = order.show, about_order(order)
    return Draft(
        to_name=order.name,
        subject=_("It takes place after all: %(show)s, %(day)s") % {"show": isolated(show.title), "day": day_of(show)},
        preheader=_("It starts %(starts)s, as it was to at first. Your tickets are valid.")
        % {"starts": about["starts"]},
        template=KIND,
        context={
            **about,
            **about_money_back(order, until=money_back),
            "count": len(tickets),
            "places": [counted(*place) for place in Counter(each.seat.label for each in tickets).items()],
        },
        attachments=(calendar_file(order=order),),
    )


def _refuse_what_is_not_so(order: Order, tickets: Sequence[Ticket], *, version: int) -> None:
    show = order.show
    if show.status == Show.Status.CANCELLED:
        raise NothingToSay(CANCELLED)
    if show.status == Show.Status.POSTPONED:
        raise NothingToSay(POSTPONED)
    if show.status != Show.Status.SCHEDULED or show.starts_at <= database_now():
        raise NothingToSay(BEGUN)
    if not tickets:
        raise NothingToSay(NO_TICKETS)
    postponed = ""
    changes = ShowAction.objects.filter(show_id=order.show_id).order_by("pk").values_list("action", "details")
    for action, details in changes:
        if action == ShowAction.Action.MOVE and int(details["version"]) > version:
            raise NothingToSay(MOVED_AGAIN)
        if action == ShowAction.Action.POSTPONE and int(details["version"]) < version:
            postponed = str(details["version"])
    told = Notification.objects.filter(subject=order.subject, kind=show_postponed.KIND, occurrence=postponed)
    if not told.exclude(status__in=NOT_TOLD).exists():
        raise NothingToSay(NEVER_TOLD)
