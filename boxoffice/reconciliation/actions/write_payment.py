"""Writing down money of the provider as a payment of an order, which knew nothing of it."""

from __future__ import annotations

from boxoffice.models import BalanceTransaction, Order, Payment
from inventory.money import Money
from jobs.clock import DatabaseNow


def write_payment(*, order: Order, told: BalanceTransaction, money: Money) -> Payment:
    """A payment that has succeeded, by the money's id, so that it is matched with ``told`` and its refund gives back
    this money and no other. Once per transaction of the provider. Part of the caller's transaction.
    """
    return Payment.objects.create(
        order=order,
        status=Payment.Status.SUCCEEDED,
        amount=money.amount,
        currency=money.currency,
        idempotency_key=f"found-{told.pk}",
        intent_id=told.intent_id,
        settled_at=DatabaseNow(),
    )
