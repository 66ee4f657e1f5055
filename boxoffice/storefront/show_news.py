"""What became of an order's show, said on the order's page before all else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from boxoffice.order_page import OrderPage
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.models import Show
from inventory.venue_time import in_venue_time


@dataclass(frozen=True)
class ShowNews:
    """A headline, sentences, and whether the fan may have his money back by himself now."""

    title: str
    sentences: Sequence[str]
    may_have_money_back: bool = False


def news_of(page: OrderPage) -> ShowNews | None:
    """None for a show that takes place as the fan knows it, and where he has no tickets any more for one that is
    postponed.
    """
    show, until = page.order.show, page.money_back_until
    if page.order.status not in REFUNDABLE:
        return None
    offered = []
    if until is not None:
        words = _("If you do not want to wait or cannot come, you can have your money back until %(until)s.")
        offered = [words % {"until": in_venue_time(instant=until, zone=show.venue.zone)}]
    if show.status == Show.Status.POSTPONED:
        waits = _("The new date is not known yet. Your tickets stay valid for it, and we write to you.")
        return ShowNews(_("This show is postponed"), [waits, *offered], until is not None)
    if until is not None:
        starts = in_venue_time(instant=show.starts_at, zone=show.venue.zone)
        now = _("It starts %(starts)s. Your tickets are valid then.") % {"starts": starts}
        return ShowNews(_("This show was moved"), [now, *offered], True)
    return None
