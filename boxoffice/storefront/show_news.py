"""What became of an order's show, or of its payment, said on the order's page before all else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from boxoffice.messages.show_cancelled import Back
from boxoffice.models import Order
from boxoffice.order_page import OrderPage
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.self_help.errors import MoneyBackDisputed
from boxoffice.storefront.order_slip import in_vain
from inventory.models import Show
from inventory.venue_time import in_venue_time


@dataclass(frozen=True)
class ShowNews:
    """A headline, sentences, and whether the fan may have his money back by himself now."""

    title: str
    sentences: Sequence[str]
    may_have_money_back: bool = False


def news_of(page: OrderPage, *, back: Back | None = None) -> ShowNews | None:
    """None for a show that takes place as the fan knows it, and where he has no tickets any more for one that is
    postponed; but always where a dispute has made his tickets void. back: what comes back, where the show is cancelled.
    """
    show, until = page.order.show, page.money_back.until
    if show.status == Show.Status.CANCELLED:
        return ShowNews(_("This show is cancelled"), [_("It does not take place."), *_how_it_comes_back(page, back)])
    if page.order.status not in REFUNDABLE:
        return None
    if page.disputed:
        why = _why_forfeited(page.disputed)
        if show.status == Show.Status.POSTPONED:
            why.append(_("The show is postponed, and its new date is not known yet."))
        return ShowNews(_("Your tickets are not valid"), why)
    offered = [str(MoneyBackDisputed())] if page.money_back.is_disputed else []
    if until is not None:
        words = _("If you cannot come, you can have your money back until %(until)s.")
        if show.status == Show.Status.POSTPONED:
            words = _("If you do not want to wait or cannot come, you can have your money back until %(until)s.")
        offered = [words % {"until": in_venue_time(instant=until, zone=show.venue.zone)}]
    if show.status == Show.Status.POSTPONED:
        waits = _("The new date is not known yet. Your tickets stay valid for it, and we write to you.")
        return ShowNews(_("This show is postponed"), [waits, *offered], until is not None)
    if until is not None or page.money_back.is_disputed:
        starts = in_venue_time(instant=show.starts_at, zone=show.venue.zone)
        now = _("It starts %(starts)s. Your tickets are valid then.") % {"starts": starts}
        title = _("This show takes place after all") if page.goes_on else _("This show was moved")
        return ShowNews(title, [now, *offered], until is not None)
    return None


def _why_forfeited(disputed: str) -> list[str]:
    """As the mail about it says (``messages.tickets_disputed``)."""
    if disputed == "open":
        return [
            _(
                "The payment of this order is disputed with the bank, which has taken the money from us while it "
                "decides."
            ),
            _(
                "If it was disputed by mistake, ask the bank to withdraw it, and write to us. If the bank decides that "
                "the payment stands, the same tickets are valid again."
            ),
        ]
    return [
        _("The payment of this order was disputed, and the bank has given the money back."),
        _(
            "If it was a mistake, or you want to come all the same, write to us before the show: as long as your seats "
            "are not sold again, they can be paid for anew."
        ),
    ]


def _how_it_comes_back(page: OrderPage, back: Back | None) -> list[str]:
    """How far it is stands in the steps below."""
    order = page.order
    if order.status in REFUNDABLE:
        return [_("Your tickets are no longer valid. Your refund is being planned; look here again in some minutes.")]
    if order.confirmed_at is None:
        return [_("Nothing was sold to you.")] if order.status != Order.Status.REFUNDED else []
    words = [_("Your tickets are no longer valid.")]
    if back is not None and back.online:
        told = _("You get %(amount)s back, to the card or account that you paid with. You need do nothing.")
        words.append(told % {"amount": back.online})
    if back is not None and back.by_hand:
        told = _("You paid %(amount)s at the counter, and get it back from us there: bring the order’s code.")
        words.append(told % {"amount": back.by_hand})
    if back is not None and back.in_vain:
        words.append(in_vain(back.in_vain))
    if back is not None and back.disputed:
        words.append(_("You have disputed the payment with your bank, which has the money now."))
    if not order.total:
        words.append(_("Nothing was paid, so no money moves."))
    return words
