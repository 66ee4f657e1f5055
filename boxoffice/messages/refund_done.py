"""The mail that tells of seats given back: which ones, how much money is on its way, and how long the bank takes.

One for each refund, planned when the provider says that the money has left. What was free has no refund: its mail is
planned with the change itself and tells of no money.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.errors import OrderNotFound
from boxoffice.gather_places import gather_lines
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import Order, OrderAction, OrderLine, Refund
from boxoffice.models.order import code_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import lines_of_order, order_by_code
from inventory.money import Money

KIND = "refund_done"

_OF_REFUND, _OF_ACTION = "refund", "action"


def occurrence_of_refund(refund_id: int) -> str:
    """What tells the mail about this refund apart from others of its order."""
    return f"{_OF_REFUND}:{refund_id}"


def occurrence_of_action(action_id: int) -> str:
    """The same for seats that cost nothing: the change itself."""
    return f"{_OF_ACTION}:{action_id}"


def draft(*, subject: str, occurrence: str) -> Draft:
    """The mail. Three queries, outside any transaction. Raises OrderNotFound."""
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    money, lines, by_hand = _given_back(order.pk, occurrence)
    return worded(order=order, money=money, lines=lines, by_hand=by_hand)


def worded(*, order: Order, money: Money | None, lines: Sequence[OrderLine], by_hand: bool = False) -> Draft:
    """What the mail says of these seats and this sum, None where nothing was paid; by_hand: we paid it out. Pure."""
    if money and by_hand:
        preheader = _("%(amount)s was paid back to you.") % {"amount": money}
    elif money:
        preheader = _("%(amount)s is on its way to you.") % {"amount": money}
    else:
        preheader = ngettext(
            "Nothing was paid for it, so no money moves.", "Nothing was paid for them, so no money moves.", len(lines)
        )
    return Draft(
        to_name=order.name,
        subject=_subject(money, lines) % {"show": isolated(order.show.title), "day": day_of(order.show)},
        preheader=preheader,
        template=KIND,
        context={
            **about_order(order),
            "lines": lines,
            "places": gather_lines(lines),
            "money": money,
            "by_hand": by_hand,
        },
    )


def _subject(money: Money | None, lines: Sequence[OrderLine]) -> str:
    if money:
        return _("Your refund: %(show)s, %(day)s")
    return ngettext(
        "Your ticket is cancelled: %(show)s, %(day)s", "Your tickets are cancelled: %(show)s, %(day)s", len(lines)
    )


def _given_back(order_id: int, occurrence: str) -> tuple[Money | None, list[OrderLine], bool]:
    kind, _colon, number = occurrence.partition(":")
    lines = lines_of_order(order_id=order_id)
    if kind == _OF_ACTION:
        action = OrderAction.objects.get(pk=int(number), order_id=order_id)
        return None, list(lines.filter(pk__in=action.line_ids)), False
    refund = Refund.objects.select_related("payment").get(pk=int(number), payment__order_id=order_id)
    return refund.money, list(lines.filter(refund_id=refund.pk)), refund.payment.is_by_hand
