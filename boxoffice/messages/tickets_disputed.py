"""The mail that says that tickets became void since their payment is disputed with the bank, and what to do; and the
one that says that they are valid again.

One for each time, as the house decides when tickets are void (DISPUTED_TICKETS). Whoever reads it need not be who has
disputed: the card may be his mother's. So it blames nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.disputes.standing import LOST, OPEN
from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.gather_places import counted
from boxoffice.messages.base import Draft
from boxoffice.messages.reminder import BEGUN, CANCELLED, NO_TICKETS
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import Dispute, DisputeStep, Order
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import order_by_code
from inventory.models import Show
from jobs.clock import database_now
from notifications.models import Notification
from notifications.told_again import first_of
from tickets.models import Ticket, VoidReason
from tickets.selectors import tickets_of_order

KIND = "tickets_disputed"

# Why it is not sent. Staff read it, in their own language.
CHANGED_AGAIN = gettext_noop("the dispute has changed the tickets once more since")
NEVER_TOLD = gettext_noop("no mail has told that the tickets were void")
TOLD_BEFORE = gettext_noop("an earlier mail has told that the tickets are void")

_NOT_TOLD = (Notification.Status.SUPPRESSED, Notification.Status.FAILED)


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Six queries at most, outside any transaction. occurrence: the number of the step of
    the dispute that changed the tickets.

    Raises OrderNotFound, and NothingToSay when the tickets changed once more since; when nobody is let in any more with
    any ticket, since the show is cancelled or has begun, or no such ticket is left; of tickets that are valid again,
    when no mail has said or may have said that they were not; and of tickets that are void once more for a lost
    dispute, when that is the last that he heard.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    _refuse_where_nobody_is_let_in(order.show)
    steps = DisputeStep.objects.filter(dispute__payment__order_id=order.pk).exclude(tickets="").order_by("pk")
    *earlier, newest = steps
    if newest.pk != int(occurrence):
        raise NothingToSay(CHANGED_AGAIN)
    is_void = newest.tickets == DisputeStep.Tickets.VOID
    _refuse_where_that_is_no_news(newest, last_told=_last_told(order, earlier))
    tickets = [each for each in tickets_of_order(order_id=order.pk) if _is_meant(each, is_void=is_void)]
    if not tickets:
        raise NothingToSay(NO_TICKETS)
    is_open = is_void and Dispute.objects.filter(payment__order_id=order.pk, status__in=OPEN).exists()
    return worded(order=order, tickets=tickets, is_void=is_void, is_open=is_open)


def worded(*, order: Order, tickets: Sequence[Ticket], is_void: bool, is_open: bool = False) -> Draft:
    """What the mail says of these tickets. is_void: or valid again. is_open: the bank has not decided yet. Pure."""
    return Draft(
        to_name=order.name,
        subject=_subject(len(tickets), is_void) % {"show": isolated(order.show.title), "day": day_of(order.show)},
        preheader=_preheader(is_void=is_void, is_open=is_open),
        template=KIND,
        context={
            **about_order(order),
            "count": len(tickets),
            "places": [counted(*place) for place in Counter(each.seat.label for each in tickets).items()],
            "is_void": is_void,
            "is_open": is_open,
        },
    )


def _subject(count: int, is_void: bool) -> str:
    if is_void:
        return ngettext(
            "Your ticket is no longer valid: %(show)s, %(day)s",
            "Your tickets are no longer valid: %(show)s, %(day)s",
            count,
        )
    return ngettext(
        "Your ticket is valid again: %(show)s, %(day)s", "Your tickets are valid again: %(show)s, %(day)s", count
    )


def _preheader(*, is_void: bool, is_open: bool) -> str:
    if not is_void:
        return _("The bank has decided that the payment stands. There is nothing that you need do.")
    if is_open:
        return _("The payment is disputed with the bank, which has not decided yet.")
    return _("The bank has given the money back. Do you want to come all the same? Write to us.")


def _is_meant(ticket: Ticket, *, is_void: bool) -> bool:
    """With what somebody is in is never void, and of no interest to anybody who waits before the door."""
    if is_void:
        return ticket.status == Ticket.Status.VOID and ticket.void_reason == VoidReason.DISPUTED
    return ticket.status != Ticket.Status.VOID


def _refuse_where_nobody_is_let_in(show: Show) -> None:
    if show.status == Show.Status.CANCELLED:
        raise NothingToSay(CANCELLED)
    # One that is postponed has no time yet, whatever its old one was.
    if show.status != Show.Status.POSTPONED and show.starts_at <= database_now():
        raise NothingToSay(BEGUN)


def _refuse_where_that_is_no_news(newest: DisputeStep, *, last_told: DisputeStep | None) -> None:
    knows_that_void = last_told is not None and last_told.tickets == DisputeStep.Tickets.VOID
    if newest.tickets == DisputeStep.Tickets.VALID and not knows_that_void:
        raise NothingToSay(NEVER_TOLD)
    is_lost_again = newest.tickets == DisputeStep.Tickets.VOID and newest.status in LOST
    if is_lost_again and knows_that_void and last_told is not None and last_told.status in LOST:
        raise NothingToSay(TOLD_BEFORE)


def _last_told(order: Order, earlier: Sequence[DisputeStep]) -> DisputeStep | None:
    """The newest of these steps of which the fan has been told, or may have been: where a mail was handed over and no
    answer came before it was not so any more, he is rather told once too often.
    """
    planned = Notification.objects.filter(subject=order.subject, kind=KIND)
    maybe_out = Q(status=Notification.Status.SUPPRESSED, last_error=CHANGED_AGAIN, attempts__gt=0)
    told = planned.filter(~Q(status__in=_NOT_TOLD) | maybe_out).values_list("occurrence", flat=True)
    numbers = {first_of(occurrence) for occurrence in told}
    return next((step for step in reversed(earlier) if str(step.pk) in numbers), None)
