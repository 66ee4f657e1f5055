"""What is told of money that came after staff had cancelled the order: it bought nothing and goes back. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from boxoffice.models import Payment, Refund
from boxoffice.support.story.facts import Facts
from boxoffice.support.story.payment_story import came_after_cancelling
from boxoffice.support.story.refund_story import state_of_refund
from boxoffice.support.story.timeline import instant_in_words
from inventory.money import Money


@dataclass(frozen=True)
class LateMoney:
    """What happened, and what becomes of the money. ``is_lost``: nothing gives it back."""

    what: str
    advice: str
    is_lost: bool = False


def late_money(facts: Facts) -> Iterator[LateMoney]:
    """Each payment that came after the order was cancelled."""
    for payment in facts.payments:
        if came_after_cancelling(payment, facts):
            at = instant_in_words(payment.settled_at or payment.created_at, facts)
            words = {"amount": Money(payment.amount, payment.currency), "instant": at}
            what = _("The order was paid after it was cancelled: %(amount)s on %(instant)s. Nothing was sold for it.")
            back = _newest_refund(payment, facts)
            yield LateMoney(what % words, _what_becomes(back, facts), is_lost=back is None)


def _newest_refund(payment: Payment, facts: Facts) -> Refund | None:
    refunds = [refund for refund in facts.refunds if refund.payment_id == payment.pk]
    return refunds[-1] if refunds else None


def _what_becomes(back: Refund | None, facts: Facts) -> str:
    if back is None:
        return _("No refund of it is planned. Tell an engineer: this should be impossible.")
    words = {"amount": back.money, "state": state_of_refund(back)}
    if back.status == Refund.Status.SUCCEEDED:
        left = instant_in_words(back.settled_at or back.created_at, facts)
        return _("It went back by itself: %(amount)s left on %(instant)s. There is nothing to do.") % {
            **words,
            "instant": left,
        }
    if back.status == Refund.Status.FAILED:
        return _("It was to go back by itself, and that failed: mend the refund.")
    return _("The money goes back by itself: %(amount)s, %(state)s. There is nothing to do.") % words
