"""Giving money back that came for nothing: by the services that refund late payments."""

from __future__ import annotations

from django.db import transaction

from boxoffice.disputes.selectors import payment_is_disputed
from boxoffice.models import Finding, Payment
from boxoffice.payments import transitions as payments
from boxoffice.payments.minor_units import our_money
from boxoffice.payments.settle_payment import give_back
from boxoffice.reconciliation.actions.errors import FindingChanged, NotOffered
from boxoffice.reconciliation.actions.known_here import require_unknown_money
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from boxoffice.reconciliation.actions.write_payment import write_payment
from boxoffice.refunds.errors import MoneyNotLeft, PaymentDisputed
from boxoffice.refunds.plan_refund import plan_refund
from inventory.money import Money
from jobs.audit import require_reason


def refund_finding(*, finding_id: int, by: str, reason: str) -> Money:
    """Plan that what is in question goes back, and return how much; a job sends it. One transaction.

    A payment that had failed or expired here, though its money came, counts as come from then on, and its fan is told
    that it goes back, as of any other that came too late. Raises ReasonMissing, FindingResolved, FindingChanged,
    NotOffered, MoneyIsKnown, PaymentDisputed and MoneyNotLeft; nothing changes then.
    """
    require_reason(by=by, reason=reason)
    reason = reason.strip()
    finding = find_to(action=Finding.Action.REFUND, finding_id=finding_id)
    payment, money = finding.payment, our_money(finding.amount, finding.currency)
    assert payment is not None
    if money is None:
        raise NotOffered
    if payment_is_disputed(payment_id=payment.pk):
        raise PaymentDisputed
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.REFUND, by=by, reason=reason)
        if finding.kind == Finding.Kind.ONLY_THERE:
            _count_as_come(finding, payment, money)
            give_back(payment_id=payment.pk, amount=money.amount, reason=reason)
        elif plan_refund(payment_id=_that_has(finding, payment, money), amount=money.amount, reason=reason) is None:
            raise MoneyNotLeft
    return money


def _that_has(finding: Finding, payment: Payment, money: Money) -> int:
    """The payment whose money goes back, which then has all that came: so what its order costs can still go back
    later, and a refund of other money is not sent to this one's id.
    """
    told = finding.transaction
    if finding.kind == Finding.Kind.OTHER_AMOUNT:
        came = our_money(finding.there or 0, finding.currency)
        if came is None or not payments.count_all_that_came(payment_id=payment.pk, asked=payment.amount, money=came):
            raise FindingChanged
    if finding.kind == Finding.Kind.PAID_TWICE and told is not None and told.intent_id not in ("", payment.intent_id):
        require_unknown_money(told=told)
        return write_payment(order=payment.order, told=told, money=money).pk
    return payment.pk


def _count_as_come(finding: Finding, payment: Payment, money: Money) -> None:
    told = finding.transaction
    intent = told.intent_id if told is not None else ""
    if told is not None:
        list(Payment.objects.select_for_update(no_key=True).filter(pk=payment.pk).values_list("pk"))
        require_unknown_money(told=told, than=payment.pk)
    if not payments.find_money(payment_id=payment.pk, intent_id=intent, money=money):
        raise NotOffered
