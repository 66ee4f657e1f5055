"""Every change of a payment's state: one conditional UPDATE each, whose row count decides."""

from __future__ import annotations

from django.db.models import F, Value

from boxoffice.models import Payment
from inventory.money import Money
from jobs.clock import DatabaseNow

OPEN = (Payment.Status.CREATED, Payment.Status.PENDING)


def note_session(*, payment_id: int, provider_id: str, page_url: str) -> bool:
    """`created → pending`: the provider has opened a payment page for it. False where that was known."""
    created = Payment.objects.filter(pk=payment_id, status=Payment.Status.CREATED)
    return created.update(status=Payment.Status.PENDING, provider_id=provider_id, page_url=page_url) == 1


def succeed(*, payment_id: int, provider_id: str, intent_id: str) -> bool:
    """`created | pending → succeeded`: the money is there. False where somebody has settled it before."""
    return _settle(payment_id, Payment.Status.SUCCEEDED, provider_id=Value(provider_id), intent_id=Value(intent_id))


def succeed_otherwise(*, payment_id: int, provider_id: str, intent_id: str, money: Money, problem: str) -> bool:
    """`created | pending → succeeded` with money that was not asked for, which must then go back. ``problem`` is for
    staff. The row tells from now on what came, so that its refund is bounded by it.
    """
    came = {"amount": Value(money.amount), "currency": Value(money.currency), "problem": Value(problem[:500])}
    known = {"provider_id": Value(provider_id), "intent_id": Value(intent_id)}
    return _settle(payment_id, Payment.Status.SUCCEEDED, **known, **came)


def find_money(*, payment_id: int, intent_id: str, money: Money) -> bool:
    """`failed | expired → succeeded`: the provider has money for it after all, which must then go back; somebody has
    compared the two. False where it has another state by now.
    """
    without = Payment.objects.filter(pk=payment_id, status__in=(Payment.Status.FAILED, Payment.Status.EXPIRED))
    came = {"amount": money.amount, "currency": money.currency, "intent_id": intent_id}
    return without.update(status=Payment.Status.SUCCEEDED, settled_at=DatabaseNow(), **came) == 1


def count_all_that_came(*, payment_id: int, asked: int, money: Money) -> bool:
    """More came for one that succeeded than was asked for: the row tells all of it from now on, so that what is too
    much can go back and the rest later. False where it tells something else by now.
    """
    as_asked = Payment.objects.filter(pk=payment_id, status=Payment.Status.SUCCEEDED, amount=asked)
    return as_asked.filter(currency=money.currency).update(amount=money.amount) == 1


def fail(*, payment_id: int, problem: str, provider_id: str = "") -> bool:
    """`created | pending → failed`: a definite refusal, or money that must not count. ``problem`` is for staff."""
    known = Value(provider_id) if provider_id else F("provider_id")
    return _settle(payment_id, Payment.Status.FAILED, problem=Value(problem[:500]), provider_id=known)


def expire(*, payment_id: int) -> bool:
    """`created | pending → expired`: nobody can pay in it any more, and nobody has."""
    return _settle(payment_id, Payment.Status.EXPIRED)


def _settle(payment_id: int, status: Payment.Status, **values: Value | F) -> bool:
    open_ones = Payment.objects.filter(pk=payment_id, status__in=OPEN)
    return open_ones.update(status=status, settled_at=DatabaseNow(), **values) == 1
