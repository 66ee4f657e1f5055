"""What becomes of a dispute: the job that asks the provider how it stands, and what follows.

Guarantee: events may come twice, late and in any order, and some of them never; each only makes this job come, and the
job ends with how the provider says that it stands now.
"""

from __future__ import annotations

from datetime import datetime

import structlog

from boxoffice.cancellation.plan_again import ask_to_plan_again
from boxoffice.disputes import transitions
from boxoffice.disputes.ask_provider import ToldDispute, ask_about
from boxoffice.disputes.standing import KEPT
from boxoffice.disputes.tickets_by_policy import follow_with_tickets
from boxoffice.messages import tickets_disputed
from boxoffice.models import Order, Payment
from boxoffice.payments.settle_payment import ask, take_in
from boxoffice.payments.transitions import OPEN
from boxoffice.tell_buyer import plan_mail_about
from jobs.clock import database_now
from jobs.record import record
from notifications.take_back import take_back

log = structlog.get_logger(__name__)


def take_dispute(*, provider_id: str) -> None:
    """Ask how the dispute stands, write it down, and let the tickets follow.

    A payment that we have not heard of yet is settled with it: whoever disputes it has paid. A dispute of somebody
    else's payment is ignored: other sellers may share the account. Call it outside a transaction. Raises what the
    provider's SDK raises.
    """
    asked_at = database_now()
    told = ask_about(dispute_id=provider_id)
    payment = _payment_of(told)
    settles = ask(payment_id=payment.pk) if payment is not None and payment.status in OPEN else None
    with record():
        if payment is None:
            log.warning("foreign_dispute", provider_id=provider_id)
            return
        if settles is not None:
            take_in(payment_id=payment.pk, answer=settles)
        write_dispute(payment=payment, told=told, asked_at=asked_at)


def write_dispute(*, payment: Payment, told: ToldDispute, asked_at: datetime) -> bool:
    """Write it down with what follows; whether it was news. Part of the caller's transaction.

    A mail tells the fan what became of his tickets, once for each time (``messages.tickets_disputed``). One that waits
    still, and is not so any more, is taken back first: he hears neither of tickets that were void for some minutes nor
    that they are valid again.
    Money that is ours again goes to the fan where the show was cancelled meanwhile: nobody else would plan it.
    """
    written = transitions.write_down(payment_id=payment.pk, told=told, asked_at=asked_at)
    if written is None:
        return False
    # Before its tickets: whoever corrects its name or address has taken the two in this order.
    order = Order.objects.select_for_update(no_key=True).get(pk=payment.order_id)
    tickets = follow_with_tickets(order_id=order.pk)
    if written.is_news or tickets:
        step = transitions.add_step(dispute_id=written.dispute_id, tickets=tickets)
        if tickets:
            take_back(subject=order.subject, kind=tickets_disputed.KIND, reason=tickets_disputed.CHANGED_AGAIN)
            plan_mail_about(order_id=order.pk, kind=tickets_disputed.KIND, occurrence=str(step.pk))
        log.info("dispute_changed", dispute=told.id, status=str(told.status), tickets=tickets)
    if written.is_news and told.status in KEPT:
        ask_to_plan_again(order=order)
    return written.is_news


def _payment_of(told: ToldDispute) -> Payment | None:
    """By the money's id, or by our key, which the row has from the start. By payment_by_intent, payment_key_once."""
    if told.intent_id:
        known = Payment.objects.filter(intent_id=told.intent_id).first()
        if known is not None:
            return known
    return Payment.objects.filter(idempotency_key=told.key).first() if told.key else None
