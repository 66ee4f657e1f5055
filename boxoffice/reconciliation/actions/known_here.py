"""Whether money that nobody here knew when it was found is known by now, or may be the money of something under way.

A finding is as old as the night that found it. Written down a second time, the money of a payment that was settled
since would go back as paid twice, and its seats would be free.
"""

from __future__ import annotations

from django.db.models import Q

from boxoffice.models import BalanceTransaction, Order, Payment, Refund
from boxoffice.payments.one_money import other_with_money
from boxoffice.payments.transitions import OPEN
from boxoffice.reconciliation.actions.errors import MoneyIsKnown, MoneyUnderWay


def require_unknown_payment(*, order: Order, told: BalanceTransaction) -> None:
    """Raises MoneyUnderWay while an attempt to pay this order is open, and MoneyIsKnown where this money is a payment
    of ours. Part of the caller's transaction: whoever settles an attempt of the order is waited for. Four queries.

    By payment_one_open_per_order, payment_by_intent and payment_key_once.
    """
    if list(Payment.objects.select_for_update().filter(order=order, status__in=OPEN)):
        raise MoneyUnderWay
    if told.payment_key and Payment.objects.filter(idempotency_key=told.payment_key).exists():
        raise MoneyIsKnown
    require_unknown_money(told=told)


def require_unknown_money(*, told: BalanceTransaction, than: int | None = None) -> None:
    """Raises MoneyIsKnown where a payment of ours has this money, by its id. than: the number of one that may have it.
    Part of the caller's transaction, until whose end nobody else gets to know whether it is. Two queries.
    """
    if other_with_money(intent_id=told.intent_id, than=than) is not None:
        raise MoneyIsKnown


def require_unknown_refund(*, payment: Payment, told: BalanceTransaction, amount: int) -> None:
    """The same of a refund: one of this sum whose answer we have not heard may be this one. Part of the caller's
    transaction: whoever plans or attaches another refund of the payment waits. Three queries.

    By refund_once_per_provider_id and the foreign key's index.
    """
    list(Payment.objects.select_for_update(no_key=True).filter(pk=payment.pk).values_list("pk"))
    if told.source and Refund.objects.filter(provider_id=told.source).exists():
        raise MoneyIsKnown
    unheard = Q(status=Refund.Status.PLANNED) | Q(status=Refund.Status.FAILED, failure=Refund.Failure.UNANSWERED)
    if Refund.objects.filter(unheard, payment=payment, amount=amount, provider_id="").exists():
        raise MoneyUnderWay
