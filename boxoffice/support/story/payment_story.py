"""What an order's story tells of the attempts to pay it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from boxoffice.models import Order, Payment
from boxoffice.support.story.facts import Facts
from inventory.money import Money

_OPEN = (Payment.Status.CREATED, Payment.Status.PENDING)
_MOODS = {Payment.Status.SUCCEEDED: "good", Payment.Status.FAILED: "bad", Payment.Status.EXPIRED: "plain"}


@dataclass(frozen=True)
class PaymentStep:
    """One attempt, as the timeline tells it: when it was settled, or begun."""

    at: datetime
    title: str
    state: str
    mood: str
    notes: list[str]


def payment_steps(facts: Facts) -> Iterator[PaymentStep]:
    """The attempts in their order."""
    for payment in facts.payments:
        yield PaymentStep(
            at=payment.settled_at or payment.created_at,
            title=_title(payment),
            state=str(payment.get_status_display()),
            mood="bad" if payment.problem else _MOODS.get(Payment.Status(payment.status), "open"),
            notes=[payment.provider_id, payment.problem, *_late(payment, facts)],
        )


def came_after_cancelling(payment: Payment, facts: Facts) -> bool:
    """Whether it is money for an order that staff had cancelled. Where the sum was wrong, that is told instead."""
    came = payment.status == Payment.Status.SUCCEEDED and not payment.problem
    return came and facts.order.status == Order.Status.CANCELLED


def _late(payment: Payment, facts: Facts) -> Iterator[str]:
    if came_after_cancelling(payment, facts):
        yield _("It came after the order was cancelled, and bought nothing.")


def _title(payment: Payment) -> str:
    words = {"amount": Money(payment.amount, payment.currency), "method": payment.get_method_display()}
    if payment.is_by_hand:
        return _("Payment of %(amount)s: %(method)s") % words
    return _("Payment of %(amount)s") % words


def refused_payments(facts: Facts) -> Iterator[tuple[str, str]]:
    """What is wrong with attempts, and what a human does about it."""
    for payment in facts.payments:
        words = what_is_wrong(payment)
        if words is not None and (payment.provider_id or payment is facts.payments[-1]):
            yield words


def what_is_wrong(payment: Payment) -> tuple[str, str] | None:
    """What is wrong with an attempt, and what a human does about it; None for nothing.

    That the provider opened no page is worth nobody's while once there is a later attempt.
    """
    why = {"why": payment.problem, "id": payment.provider_id}
    if not payment.problem:
        return None
    if payment.status == Payment.Status.SUCCEEDED:
        return (
            _("A payment was not taken: %(why)s (%(id)s)") % why,
            _("Nothing was sold for it, and the money goes back by itself. Find out who changed the sum."),
        )
    if payment.provider_id:
        return (
            _("A payment was not taken: %(why)s (%(id)s)") % why,
            _("Compare it with the payment provider's page. Nothing was sold for it; give the money back there."),
        )
    return (
        _("The payment provider opened no payment page: %(why)s") % why,
        _("Nothing was charged. Mend the cause if it is ours; the fan can press “Pay” again."),
    )


def may_yet_be_paid(facts: Facts) -> bool:
    """Whether the hold is over, and a job will ask whether money came before it ended."""
    is_open = any(payment.status in _OPEN for payment in facts.payments)
    return facts.order.status == Order.Status.PENDING_PAYMENT and facts.hold_has_lapsed and is_open
