"""Giving the money back because the fan asks on the order's page, after the show was postponed or moved."""

from __future__ import annotations

from django.db import transaction

from boxoffice.errors import OrderNotFound
from boxoffice.models import Order
from boxoffice.money_back import money_back_of
from boxoffice.refunds.errors import MoneyNotLeft, NothingToRefund, PaymentDisputed, TicketsUsed
from boxoffice.refunds.refund_order import RefundedOrder, refund_order
from boxoffice.self_help.by_fan import BY_FAN, MONEY_BACK
from boxoffice.self_help.errors import MoneyBackDisputed, TooLateForMoneyBack, UsedForMoneyBack

GIVEN_BACK = frozenset({Order.Status.REFUNDED, Order.Status.CANCELLED})


def ask_money_back(*, order_id: int) -> RefundedOrder | None:
    """Refund all that is left of the order, written in its trail as done by the fan; None where it was given back
    already: pressed twice it is done once. One transaction.

    Until when it is offered is the database's clock's to say, before any lock is waited for. What ``refund_order``
    refuses it says to staff; here it is said to the fan. Raises OrderNotFound, TooLateForMoneyBack (or never offered
    to this order, or not so much is left), MoneyBackDisputed, UsedForMoneyBack, and what else ``refund_order`` raises.
    """
    with transaction.atomic():
        order = Order.objects.select_related("show__refund_offer").filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        if order.status in GIVEN_BACK:
            return None
        offered = money_back_of(order=order)
        if offered.is_disputed:
            raise MoneyBackDisputed
        if offered.until is None:
            raise TooLateForMoneyBack
        try:
            return refund_order(order_id=order.pk, by=BY_FAN, reason=MONEY_BACK)
        except NothingToRefund:
            return None  # the other press was faster
        except PaymentDisputed:
            raise MoneyBackDisputed from None
        except TicketsUsed:
            raise UsedForMoneyBack from None
        except MoneyNotLeft:
            raise TooLateForMoneyBack from None


def is_given_back(order: Order) -> bool:
    """Whether nothing of the order is left."""
    return order.status in GIVEN_BACK
