"""Trying a failed refund again: by staff, or by the replay of its dead job."""

from __future__ import annotations

from django.db import transaction

from boxoffice.disputes.selectors import payment_is_disputed
from boxoffice.models import OrderAction, Refund, WriteOff
from boxoffice.refunds import transitions
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.errors import NotEnoughLeft, NotTriedAgain, PaymentDisputed, WrittenOff
from boxoffice.refunds.plan_refund import enqueue_sending
from jobs.audit import require_reason


def try_again(*, refund_id: int, by: str, reason: str) -> Refund:
    """Plan another attempt with a key of its own and return it. Opens its own transaction.

    Before it asks for anything its job lists the payment's refunds, and takes over what an earlier attempt has made
    after all. by, reason: kept in the order's trail.

    Raises ReasonMissing, PaymentDisputed, and NotTriedAgain when this one has not failed or somebody was faster, with
    its kinds NotEnoughLeft and WrittenOff where only the money is missing. Nothing changes then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        later = plan_another(refund_id=refund_id)
        if payment_is_disputed(payment_id=later.payment_id):
            raise PaymentDisputed
        enqueue_sending(later)
        OrderAction.objects.create(
            order=later.payment.order,
            action=OrderAction.Action.TRY_AGAIN,
            by=by.strip(),
            reason=reason.strip(),
            refund=later,
            line_ids=list(later.lines.order_by("pk").values_list("pk", flat=True)),
        )
    return later


def plan_another(*, refund_id: int) -> Refund:
    """The attempt that follows a failed one and pays for its lines. Part of the caller's transaction.

    Raises NotTriedAgain, or that of its kinds which tells why.
    """
    failed = Refund.objects.filter(pk=refund_id, status=Refund.Status.FAILED).first()
    later = failed and transitions.plan(
        payment_id=failed.payment_id, amount=failed.amount, reason=failed.reason, replaces_id=failed.pk
    )
    if failed is None or later is None:
        raise _why_not(failed)
    transitions.hand_lines_on(from_id=failed.pk, to_id=later.pk)
    return later


def _why_not(failed: Refund | None) -> NotTriedAgain:
    """Whoever was faster has replaced it, or an answer came meanwhile; else it is the money. Two queries at most."""
    untried = Refund.objects.filter(status=Refund.Status.FAILED, replaced_by__isnull=True)
    if failed is None or not untried.filter(pk=failed.pk).exists():
        return NotTriedAgain()
    if WriteOff.objects.filter(payment_id=failed.payment_id).exists():
        return WrittenOff()
    return NotEnoughLeft()


def mark_refund_failed(*, refund_id: int) -> None:
    """The job that sends it is dead, and nobody knows whether money has moved: planned → failed, for staff to see.

    Runs in the transaction that marks the job dead.
    """
    refund = newest_attempt(refund_id=refund_id).refund
    transitions.mark_failed(refund_id=refund.pk, failure=Refund.Failure.UNANSWERED)


def reopen_failed_refund(*, refund_id: int) -> None:
    """The inverse, for the replay of that job, which then sends the newest attempt.

    While the key is young and the outcome unknown the same attempt goes on, since its key cannot pay twice; otherwise
    another is planned, with a key of its own. An attempt that has ended well, or is under way, is left alone.
    """
    attempt = newest_attempt(refund_id=refund_id)
    if attempt.refund.status != Refund.Status.FAILED:
        return
    if attempt.key_is_old or not transitions.reopen(refund_id=attempt.refund.pk):
        plan_another(refund_id=attempt.refund.pk)
