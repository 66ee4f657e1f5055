"""Asking the provider once more, and believing what it says: what a webhook, a browser or a job would have done."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from boxoffice.models import Finding, Payment, Refund
from boxoffice.payments import provider
from boxoffice.payments.settle_payment import ask, take_in
from boxoffice.payments.transitions import OPEN
from boxoffice.reconciliation.actions.errors import NotConfirmed
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from boxoffice.refunds.ask_provider import Answer, Means, answer_of, look_up
from boxoffice.refunds.record_answer import record_answer


def confirm_finding(*, finding_id: int, by: str) -> Finding:
    """Let what the provider says of the payment or refund count here, with all that follows (seats, tickets, mails).

    The provider is asked outside of any transaction; then one. Raises FindingResolved, NotOffered, NotConfirmed where
    the provider says nothing new, ProviderAway and PaymentRefused.
    """
    finding = find_to(action=Finding.Action.CONFIRM, finding_id=finding_id)
    with provider.in_words():
        take = _about_refund(finding) if finding.refund is not None else _about_payment(finding)
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.CONFIRM, by=by)
        take()
    return finding


def _about_payment(finding: Finding) -> Callable[[], None]:
    payment = finding.payment
    assert payment is not None
    answer = ask(payment_id=payment.pk)

    def take() -> None:
        if answer is not None:
            take_in(payment_id=payment.pk, answer=answer)
        if answer is None or Payment.objects.filter(pk=payment.pk, status__in=OPEN).exists():
            raise NotConfirmed

    return take


def _about_refund(finding: Finding) -> Callable[[], None]:
    refund = finding.refund
    assert refund is not None
    answer = _answer_about(finding, refund)

    def take() -> None:
        if answer.means is Means.PENDING or not record_answer(refund=refund, answer=answer):
            raise NotConfirmed

    return take


def _answer_about(finding: Finding, refund: Refund) -> Answer:
    """By our row's id, else by the one that the transaction names."""
    if refund.provider_id:
        return look_up(refund)
    named = finding.transaction.source if finding.transaction is not None else ""
    if not named.startswith(("re_", "pyr_")):
        raise NotConfirmed
    return answer_of(provider.client().v1.refunds.retrieve(named).to_dict())
