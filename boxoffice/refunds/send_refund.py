"""Sending a planned refund to the provider, and asking how one stands that it has taken on."""

from __future__ import annotations

from contextlib import nullcontext

from boxoffice.cancellation.balance import pause_for_balance
from boxoffice.cancellation.turn import in_turn, refuse_while_paused
from boxoffice.models import Refund
from boxoffice.refunds.ask_provider import ask_for_refund, look_up
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.record_answer import record_answer
from jobs.record import record


def send_refund(*, refund_id: int, is_of_many: bool = False) -> None:
    """Ask the provider to give the money back, and write down what it said. Nothing is sent twice: see the package.

    is_of_many: of a cancelled show, whose refunds may be paused, and keep to the provider's rate. Where the balance is
    too low all of them are paused before the answer is written down.

    A refusal is an answer, not a failure of the job: it ends the attempt, and staff see it on the order's page.
    Call it outside a transaction. Raises what the SDK raises where the outcome is unknown, and RefundsPaused, NoRoomYet
    and SentTooFast where it is to come again.
    """
    attempt = newest_attempt(refund_id=refund_id)
    if attempt.refund.status != Refund.Status.PLANNED:
        return  # settled meanwhile, by an event or by an earlier run
    if is_of_many:
        refuse_while_paused(attempt.refund)
    answer = ask_for_refund(attempt, in_turn=in_turn if is_of_many else nullcontext)
    if answer.wants_balance and attempt.refund.cancellation_id is not None:
        pause_for_balance()
    with record():
        record_answer(refund=attempt.refund, answer=answer)


def ask_about_refund(*, refund_id: int) -> None:
    """Ask how a pending refund stands, write it down, and ask again later while it is pending."""
    refund = Refund.objects.select_related("payment__order").get(pk=refund_id)
    if refund.status != Refund.Status.PENDING:
        return
    answer = look_up(refund)
    with record():
        record_answer(refund=refund, answer=answer)
