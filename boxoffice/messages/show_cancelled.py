"""The mail that says that a show is cancelled, and how its fan gets his money: the only one about that.

One for each order that had tickets. None follows when the money has left, so it says when and where to; what is paid
out by hand is told then, too. The attached entry takes the show out of the fan's calendar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import NothingToSay, OrderNotFound
from boxoffice.messages.base import Draft
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import CancelledOrder, Order, Refund
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.refunds.kept_by_bank import kept_by_bank
from boxoffice.selectors import order_by_code
from inventory.models import Show
from inventory.money import Money
from tickets.selectors import tickets_of_order

KIND = "show_cancelled"
URGENT = False

# Why it is not sent. Staff read it, in their own language.
NOT_CANCELLED = gettext_noop("the show is not cancelled")


@dataclass(frozen=True)
class Back:
    """What comes back because the show is cancelled. online: to where it was paid from. by_hand: at the counter.
    in_vain: it failed and was written off, so nobody tries it again. disputed: the bank has the money, and decides.
    """

    online: Money | None = None
    by_hand: Money | None = None
    in_vain: Money | None = None
    disputed: bool = False

    @property
    def is_nothing(self) -> bool:
        return self.online is None and self.by_hand is None and self.in_vain is None and not self.disputed


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail as things stand now. Four queries, outside any transaction. occurrence: the number of the cancellation.

    Raises OrderNotFound, and NothingToSay for an order of a show that is not cancelled.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    if order.show.status != Show.Status.CANCELLED:
        raise NothingToSay(NOT_CANCELLED)
    tickets = len(tickets_of_order(order_id=order.pk))
    return worded(order=order, count=tickets, back=read_back(order=order))


def read_back(*, order: Order) -> Back:
    """What was planned for the order because its show is cancelled. Two queries, one more while money has not left."""
    known = CancelledOrder.objects.filter(order_id=order.pk).first()
    if known is None:
        return Back()
    refunds = Refund.objects.filter(
        payment__order_id=order.pk, cancellation_id=known.cancellation_id, replaced_by__isnull=True
    )
    planned = list(refunds.select_related("payment__write_off").order_by("pk"))
    kept = kept_by_bank(planned)
    owed = [each for each in planned if not each.is_written_off and each.pk not in kept]
    return Back(
        online=_sum([each for each in owed if not each.payment.is_by_hand], order),
        by_hand=_sum([each for each in owed if each.payment.is_by_hand], order),
        in_vain=_sum([each for each in planned if each.is_written_off], order),
        disputed=known.kind == CancelledOrder.Kind.DISPUTED or bool(kept),
    )


def worded(*, order: Order, count: int, back: Back) -> Draft:
    """What the mail says. count: tickets of the order. Pure."""
    return Draft(
        to_name=order.name,
        subject=_("Cancelled: %(show)s, %(day)s") % {"show": isolated(order.show.title), "day": day_of(order.show)},
        preheader=_preheader(back, count),
        template=KIND,
        context={**about_order(order), "count": count, "back": back},
        attachments=(calendar_file(order=order),),
    )


def _preheader(back: Back, count: int) -> str:
    if back.online:
        return _("%(amount)s goes back to you. There is nothing that you need do.") % {"amount": back.online}
    if back.by_hand:
        return _("You get %(amount)s back from us at the counter.") % {"amount": back.by_hand}
    return ngettext("Your ticket is no longer valid.", "Your tickets are no longer valid.", count)


def _sum(refunds: Sequence[Refund], order: Order) -> Money | None:
    return Money.sum((each.money for each in refunds), currency=order.currency) if refunds else None
