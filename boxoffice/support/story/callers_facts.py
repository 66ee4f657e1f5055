"""What is no fault, and what callers ask about all the same: bought twice, a show that was moved. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.models import Order
from boxoffice.support.story.facts import Facts
from inventory.models import Show
from inventory.venue_time import in_venue_time

SOLD = frozenset({Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED})


@dataclass(frozen=True)
class Remark:
    """What to know, and what to do where the caller is not content. others: orders to look at."""

    what: str
    advice: str
    others: tuple[Order, ...] = ()
    about_refund: bool = False


def remarks(facts: Facts) -> Iterator[Remark]:
    """All of them; for an order of which nothing is sold any more, that its show was cancelled, alone."""
    if facts.order.status not in SOLD:
        yield from _off_for_good(facts)
        return
    yield from _bought_again(facts)
    yield from _about_the_show(facts)


def _bought_again(facts: Facts) -> Iterator[Remark]:
    others = tuple(facts.same_buyer)
    if others:
        what = ngettext(
            "The same address has another order of this show: %(orders)s.",
            "The same address has %(n)d other orders of this show: %(orders)s.",
            len(others),
        )
        told = "; ".join(_told(other, facts) for other in others)
        yield Remark(
            what % {"n": len(others), "orders": told},
            _("If one was bought by mistake, ask which seats the fan wants, and refund the other."),
            others=others,
            about_refund=True,
        )


def _off_for_good(facts: Facts) -> Iterator[Remark]:
    """Of one that had tickets: others are told with what became of their payment."""
    if facts.order.show.status == Show.Status.CANCELLED and facts.order.confirmed_at:
        yield Remark(_("The show was cancelled."), _("What became of the money of this order stands below."))


def _told(other: Order, facts: Facts) -> str:
    placed = _in_words(other.placed_at, facts)
    return _("%(code)s of %(amount)s, placed %(when)s") % {"code": other.code, "amount": other.money, "when": placed}


def _about_the_show(facts: Facts) -> Iterator[Remark]:
    show = facts.order.show
    if show.status == Show.Status.CANCELLED:
        yield Remark(_("The show was cancelled."), _("Give the money back."), about_refund=True)
    elif show.status == Show.Status.POSTPONED:
        yield Remark(
            _("The show is postponed, and has no new date yet."),
            _("The tickets stay valid. Who does not want to wait is refunded."),
            about_refund=True,
        )
    elif show.starts_at > facts.now and facts.show_moves:
        was = datetime.fromisoformat(facts.show_moves[0].details["from"])
        yield Remark(
            _("The show was moved since this was bought: from %(was)s to %(now)s.")
            % {"was": _in_words(was, facts), "now": _in_words(show.starts_at, facts)},
            _("The tickets stay valid. Who cannot come is refunded."),
            about_refund=True,
        )


def _in_words(instant: datetime, facts: Facts) -> str:
    return in_venue_time(instant=instant, zone=facts.order.show.venue.zone)
