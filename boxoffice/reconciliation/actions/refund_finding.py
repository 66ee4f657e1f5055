"""Giving money back that came for nothing: by the services that refund late payments."""

from __future__ import annotations

from django.db import transaction

from boxoffice.disputes.selectors import payment_is_disputed
from boxoffice.models import Finding, Payment
from boxoffice.payments import transitions as payments
from boxoffice.payments.minor_units import our_money
from boxoffice.payments.settle_payment import give_back
from boxoffice.reconciliation.actions.errors import NotOffered
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from boxoffice.refunds.errors import MoneyNotLeft, PaymentDisputed
from boxoffice.refunds.plan_refund import plan_refund
from inventory.money import Money
from jobs.audit import require_reason


def refund_finding(*, finding_id: int, by: str, reason: str) -> Money:
    """Plan that what is in question goes back, and return how much; a job sends it. One transaction.

    A payment that had failed or expired here, though its money came, counts as come from then on, and its fan is told
    that it goes back, as of any other that came too late. Raises ReasonMissing, FindingResolved, NotOffered,
    PaymentDisputed and MoneyNotLeft; nothing changes then.
    """
    require_reason(by=by, reason=reason)
    finding = find_to(action=Finding.Action.REFUND, finding_id=finding_id)
    payment, money = finding.payment, our_money(finding.amount, finding.currency)
    assert payment is not None
    if money is None:
        raise NotOffered
    if payment_is_disputed(payment_id=payment.pk):
        raise PaymentDisputed
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.REFUND, by=by, reason=reason.strip())
        if finding.kind == Finding.Kind.ONLY_THERE:
            _count_as_come(finding, payment, money)
            give_back(payment_id=payment.pk, amount=money.amount, reason=reason.strip())
        elif plan_refund(payment_id=payment.pk, amount=money.amount, reason=reason.strip()) is None:
            raise MoneyNotLeft
    return money


def _count_as_come(finding: Finding, payment: Payment, money: Money) -> None:
    intent = finding.transaction.intent_id if finding.transaction is not None else ""
    if not payments.find_money(payment_id=payment.pk, intent_id=intent, money=money):
        raise NotOffered
