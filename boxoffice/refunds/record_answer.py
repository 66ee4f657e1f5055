"""Writing down what the provider said of an attempt, and what follows."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import DEFAULT_DB_ALIAS, IntegrityError, transaction

from boxoffice.cancellation.workflow import look_soon
from boxoffice.messages import refund_done
from boxoffice.models import CancelledOrder, Order, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.ask_provider import Answer, Means
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.plan_refund import enqueue_sending
from boxoffice.refunds.yield_to_attached import yield_to_attached
from boxoffice.tell_buyer import plan_mail_about
from boxoffice.tell_devices import plan_push_about
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.prepared import prepared_cursor

ASK_AGAIN_AFTER = timedelta(hours=6)
"""A pending refund is settled by the provider's event; this is for the event that never came."""

BALANCE_IS_LOW_FOR = timedelta(minutes=1)
"""At least: nobody tops it up sooner."""

WAITED_IN_VAIN = "insufficient_funds"
"""Why the provider gives a refund up that it had taken on, where nobody topped the balance up in time."""

# By replaces_id and refund_once_per_provider_id.
IS_OUT_OF_DATE = """
    SELECT EXISTS (SELECT FROM boxoffice_refund WHERE replaces_id = %(refund_id)s)
        OR EXISTS (SELECT FROM boxoffice_refund WHERE provider_id = %(provider_id)s AND provider_id <> ''
                                                   AND id <> %(refund_id)s)
"""

ATTEMPTS_BY_ITSELF = 5
"""Keys that are spent in a row before a human must look. The waits between them: 1, 4, 16 and 64 minutes."""


def record_answer(*, refund: Refund, answer: Answer) -> bool:
    """Write the answer down. Part of the caller's transaction. False when it was known already, or is out of date.

    Locks the payment. Where a later attempt was planned meanwhile, it is that one's answer: it would find what this one
    has made, and could not write it down a second time. Where somebody has attached this refund of the provider, it
    counts as that one's.
    """
    with prepared_cursor(using=DEFAULT_DB_ALIAS) as cursor:
        cursor.execute(transitions.LOCK_PAYMENT, {"payment_id": refund.payment_id})
    if not answer.provider_id or not _is_out_of_date(refund, answer):
        return _write_down(refund, answer)
    refund = _that_speaks(refund, answer)
    try:
        with transaction.atomic():  # a savepoint: what was locked and written before is the caller's
            return _write_down(refund, answer)
    except IntegrityError:
        attached = yield_to_attached(refund=refund, provider_id=answer.provider_id)
        if attached is None:
            raise
    if attached.status == Refund.Status.SUCCEEDED and attached.lines.exists() and not _was_told(attached):
        tell_refund(order=attached.payment.order, occurrence=refund_done.occurrence_of_refund(attached.pk))
    _write_down(attached, answer)
    return True


def _is_out_of_date(refund: Refund, answer: Answer) -> bool:
    """Whether a later attempt was planned, or another row has this refund of the provider. The payment is locked, and
    whoever does either waits.
    """
    with prepared_cursor(using=DEFAULT_DB_ALIAS) as cursor:
        cursor.execute(IS_OUT_OF_DATE, {"refund_id": refund.pk, "provider_id": answer.provider_id})
        ((is_out_of_date,),) = cursor.fetchall()
    return bool(is_out_of_date)


def _that_speaks(refund: Refund, answer: Answer) -> Refund:
    """The newest attempt, which takes over what an earlier one has made, unless one of both has made something else."""
    if Refund.objects.filter(pk=refund.pk).exclude(provider_id="").exists():
        return refund
    newest = newest_attempt(refund_id=refund.pk).refund
    return newest if newest.provider_id in ("", answer.provider_id) else refund


def _write_down(refund: Refund, answer: Answer) -> bool:
    if answer.means is Means.SUCCEEDED:
        is_to_tell = transitions.settle_succeeded(refund_id=refund.pk, provider_id=answer.provider_id)
        if is_to_tell:
            tell_refund(order=refund.payment.order, occurrence=refund_done.occurrence_of_refund(refund.pk))
        # Who is not told was told when it was planned (``messages.paid_too_late``), or with all of a cancelled show.
        if is_to_tell is not None and refund.cancellation is not None:
            look_soon(cancellation=refund.cancellation)
        return is_to_tell is not None
    if answer.means is Means.PENDING:
        moved = transitions.mark_pending(refund_id=refund.pk, provider_id=answer.provider_id)
        ask_later(refund)
        return moved
    if answer.means is Means.RETURNED:
        moved = transitions.mark_returned(refund_id=refund.pk, provider_id=answer.provider_id, code=answer.code)
        if moved and answer.code == WAITED_IN_VAIN and refund.cancellation_id is not None:
            _wait_for_balance(refund)
        return moved
    moved = transitions.mark_failed(
        refund_id=refund.pk, failure=answer.means.value, code=answer.code, message=answer.message
    )
    if moved and answer.means is Means.KEY_SPENT:
        _try_with_another_key(refund)
    if moved and answer.wants_balance and refund.cancellation_id is not None:
        _wait_for_balance(refund)
    return moved


def tell_refund(*, order: Order, occurrence: str) -> None:
    """Plan the mail about it, and a push message to each device that asked, once for each occurrence.

    Locks the order.
    """
    plan_mail_about(order_id=order.pk, kind=refund_done.KIND, occurrence=occurrence)
    plan_push_about(order=order, kind=refund_done.KIND, occurrence=occurrence)


def ask_later(refund: Refund) -> None:
    """Ask again how a pending refund stands, should nobody tell us."""
    enqueue(
        task="boxoffice.ask_about_refund",
        args={"refund_id": refund.pk},
        subject=refund.payment.order.subject,
        available_at=_in(ASK_AGAIN_AFTER),
        unique_key=f"ask about refund:{refund.pk}",
    )


def _try_with_another_key(refund: Refund) -> None:
    spent = 1
    earlier = refund.replaces
    while earlier is not None and earlier.failure == Refund.Failure.KEY_SPENT and spent < ATTEMPTS_BY_ITSELF:
        spent, earlier = spent + 1, earlier.replaces
    if spent >= ATTEMPTS_BY_ITSELF:
        return
    later = transitions.plan(
        payment_id=refund.payment_id, amount=refund.amount, reason=refund.reason, replaces_id=refund.pk
    )
    if later is not None:
        transitions.hand_lines_on(from_id=refund.pk, to_id=later.pk)
        after = _in(timedelta(minutes=4 ** (spent - 1)))
        enqueue_sending(later, available_at=after, is_of_many=refund.cancellation_id is not None)


def _wait_for_balance(refund: Refund) -> None:
    """The provider keeps its refusal under the key, so that the next attempt is another one. It waits with all refunds
    of cancelled shows (``cancellation.balance``).
    """
    later = transitions.plan(
        payment_id=refund.payment_id, amount=refund.amount, reason=refund.reason, replaces_id=refund.pk
    )
    if later is not None:
        transitions.hand_lines_on(from_id=refund.pk, to_id=later.pk)
        enqueue_sending(later, available_at=_in(BALANCE_IS_LOW_FOR), is_of_many=True)


def _was_told(refund: Refund) -> bool:
    """The mail about the cancelled show says that the money goes back. One query, none for any other refund."""
    return (
        refund.cancellation_id is not None
        and CancelledOrder.objects.filter(order_id=refund.payment.order_id, is_told=True).exists()
    )


def _in(delay: timedelta) -> datetime:
    return database_now() + delay
