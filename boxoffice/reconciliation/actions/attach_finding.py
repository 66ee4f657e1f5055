"""Writing money of the provider down here, that we know nothing of: to an order, or to a payment of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from boxoffice.cancellation.plan_again import ask_to_plan_again
from boxoffice.models import BalanceTransaction, Finding, Order
from boxoffice.payments.minor_units import our_money
from boxoffice.payments.settle_payment import buy_or_give_back
from boxoffice.reconciliation.actions.errors import MoneyIsKnown, NoSuchOrder, NotOffered
from boxoffice.reconciliation.actions.known_here import require_unknown_payment, require_unknown_refund
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from boxoffice.reconciliation.actions.write_payment import write_payment
from boxoffice.refunds import transitions as refunds
from boxoffice.refunds.errors import MoneyNotLeft
from inventory.money import Money
from jobs.audit import require_reason

_GAPS = re.compile(r"[\s\-–#]+")


@dataclass(frozen=True)
class Attached:
    """To which order, how much, and what came of it: ``bought`` its seats, ``goes back``, or is ``written`` down as a
    refund that was made at the provider.
    """

    order: Order
    money: Money
    outcome: str


def order_to_attach(*, code: str) -> Order:
    """The order with this code. Raises NoSuchOrder."""
    order = Order.objects.select_related("show").filter(code=_GAPS.sub("", code).upper()).first()
    if order is None:
        raise NoSuchOrder
    return order


def would_buy(*, order: Order, money: Money) -> bool:
    """Whether the order waits for just this sum, or has expired without it, and its show takes place. Its seats must
    still be free.
    """
    waits = order.status in (Order.Status.PENDING_PAYMENT, Order.Status.EXPIRED)
    return waits and order.money == money and order.show.takes_place


def attach_finding(*, finding_id: int, code: str, by: str, reason: str) -> Attached:
    """Attach a payment to the order with this code, or a refund to the payment that it is of. One transaction.

    A payment buys the order's seats where it waits for that sum and they are free; otherwise it is planned to go back,
    and its fan is told. A refund is written down and gives no seat back. Raises ReasonMissing, FindingResolved,
    FindingChanged, NotOffered, NoSuchOrder, MoneyNotLeft, and MoneyIsKnown or MoneyUnderWay where it is, or may be,
    one of ours; nothing changes then.
    """
    require_reason(by=by, reason=reason)
    finding = find_to(action=Finding.Action.ATTACH, finding_id=finding_id)
    told = finding.transaction
    money = our_money(abs(finding.amount), finding.currency)
    if told is None or money is None:
        raise NotOffered
    if finding.kind == Finding.Kind.REFUNDED_THERE:
        return _attach_refund(finding, told, money, by=by, reason=reason.strip())
    order = order_to_attach(code=code)
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.ATTACH, by=by, reason=reason.strip())
        require_unknown_payment(order=order, told=told)
        payment = write_payment(order=order, told=told, money=money)
        bought = buy_or_give_back(payment=payment, may_buy=would_buy(order=order, money=money))
    return Attached(order, money, "bought" if bought else "goes back")


def _attach_refund(finding: Finding, told: BalanceTransaction, money: Money, *, by: str, reason: str) -> Attached:
    payment = finding.payment
    assert payment is not None
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.ATTACH, by=by, reason=reason)
        require_unknown_refund(payment=payment, told=told, amount=money.amount)
        refund = refunds.plan(payment_id=payment.pk, amount=money.amount, reason=reason)
        if refund is None:
            raise MoneyNotLeft
        try:
            with transaction.atomic():  # a savepoint, for what an answer or event may just have written down
                refunds.mark_succeeded(refund_id=refund.pk, provider_id=told.source)
        except IntegrityError as error:
            raise MoneyIsKnown from error
        # Of a cancelled show: what somebody gave back by hand was refused to our refund of the whole; the rest is owed.
        ask_to_plan_again(order=payment.order)
    return Attached(payment.order, money, "written")
