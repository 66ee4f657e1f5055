"""What became of a payment, and what follows. Return page, webhook and job all come here.

Whoever is first settles the payment, by one conditional UPDATE, and confirms the order in the same transaction; the
others find it settled and change nothing. Money wins: where the hold is over, the same seats are taken again if they
are free; otherwise it is given back by job, and a mail says so.
"""

from __future__ import annotations

from datetime import timedelta

import structlog

from boxoffice import transitions as orders
from boxoffice.confirm_order import confirm_if_waiting, confirm_with_other_hold
from boxoffice.errors import SeatsDiffer
from boxoffice.messages import paid_too_late
from boxoffice.models import Payment
from boxoffice.payments import provider, transitions
from boxoffice.payments.look_again import look_later
from boxoffice.payments.metrics import SETTLED
from boxoffice.payments.minor_units import our_money, provider_amount
from boxoffice.payments.one_money import other_with_money
from boxoffice.payments.provider import Answer
from boxoffice.refunds.plan_refund import plan_refund
from boxoffice.tell_buyer import plan_mail_about
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive
from inventory.money import Money
from jobs.clock import database_now
from jobs.record import record

log = structlog.get_logger(__name__)

KEY_LASTS = timedelta(hours=23)
"""The provider may forget a key after 24 hours: it is sent again while it is younger than this."""

_WITHOUT_MONEY = frozenset({"expired", "failed", "refused", "spent"})


def settle_payment(*, payment_id: int) -> None:
    """The job: ask, and take in what the answer says; come again while it says nothing final.

    Raises what the provider's SDK raises.
    """
    answer = ask(payment_id=payment_id, end_if_over=True)
    with record():
        if answer is None:
            return
        take_in(payment_id=payment_id, answer=answer)
        left = Payment.objects.select_related("order__hold").filter(pk=payment_id, status__in=transitions.OPEN).first()
        if left is not None:
            look_later(payment_id=payment_id, order_code=left.order.code, hold_ends=left.order.hold.expires_at)


def ask(*, payment_id: int, end_if_over: bool = False) -> Answer | None:
    """Ask the provider how the payment stands; None where it is settled already. Not inside a transaction.

    end_if_over: end the session too, once the hold has ended. A session of which nobody knows whether it was made is
    asked for with the key of the attempt. Raises what the provider's SDK raises.
    """
    payment = Payment.objects.select_related("order__hold").filter(pk=payment_id, status__in=transitions.OPEN).first()
    if payment is None:
        return None
    now = database_now()
    session_id = payment.provider_id
    if not session_id:
        if payment.created_at <= now - KEY_LASTS:
            # Its page was never shown to anybody, and has long closed.
            return Answer.without_session("expired")
        made = provider.create_session(request=payment.request, key=payment.idempotency_key, since=payment.created_at)
        if not made.id:
            return made
        session_id = made.id
    hold = payment.order.hold
    is_over = hold.status != "active" or hold.expires_at <= now
    if end_if_over and is_over:
        return provider.expire_session(session_id=session_id)
    return provider.retrieve_session(session_id=session_id)


def take_in(*, payment_id: int, answer: Answer) -> None:
    """Settle the payment as the answer says, and do what follows. Part of the caller's transaction; a second call does
    nothing.
    """
    if answer.state == "paid":
        _take_money(payment_id=payment_id, answer=answer)
    elif answer.state in _WITHOUT_MONEY:
        if answer.state == "expired":
            settled = transitions.expire(payment_id=payment_id)
        else:
            settled = transitions.fail(payment_id=payment_id, problem=answer.problem, provider_id=answer.id)
        if settled:
            SETTLED.labels(outcome=answer.state).inc()
            orders.expire(order_id=Payment.objects.values_list("order_id", flat=True).get(pk=payment_id))
    elif answer.id:
        transitions.note_session(payment_id=payment_id, provider_id=answer.id, page_url=answer.url)


def _take_money(*, payment_id: int, answer: Answer) -> None:
    # Locked before its money, as by whoever attaches money by hand. By primary key.
    payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
    if payment.status not in transitions.OPEN:
        return
    other = other_with_money(intent_id=answer.intent_id, than=payment_id)
    if other is not None:
        _leave_to_other(payment, answer, other)
        return
    asked = (provider_amount(Money(payment.amount, payment.currency)), payment.currency, payment.idempotency_key)
    if (answer.amount, answer.currency, answer.key) != asked:
        _refuse_money(payment, answer)
        return
    if not transitions.succeed(payment_id=payment_id, provider_id=answer.id, intent_id=answer.intent_id):
        return
    buy_or_give_back(payment=payment)


def _leave_to_other(payment: Payment, answer: Answer, other: Payment) -> None:
    """Somebody has attached this money by hand before we heard of it, and there it has bought seats or goes back. It
    does neither a second time: staff read why, and the order is over, so that its fan does not pay once more for it.
    """
    problem = f"Its money was attached to order {other.order.code} by hand, before the provider's answer came."
    if transitions.fail(payment_id=payment.pk, problem=problem, provider_id=answer.id):
        orders.expire_paid_too_late(order_id=payment.order_id)
        log.error("payment_was_attached", payment=payment.pk, other=other.pk, session=answer.id)
        SETTLED.labels(outcome="attached").inc()


def buy_or_give_back(*, payment: Payment, may_buy: bool = True) -> bool:
    """Let money that has come buy its order's seats, or plan that it goes back; whether it bought them.

    may_buy: False for money that is not what the order costs. Part of the caller's transaction, in which the payment
    has become one that succeeded.
    """
    if may_buy and _confirm(payment.order_id):
        SETTLED.labels(outcome="confirmed").inc()
        return True
    SETTLED.labels(outcome="given back").inc()
    give_back(payment_id=payment.pk, amount=payment.amount, reason="paid too late")
    return False


def _refuse_money(payment: Payment, answer: Answer) -> None:
    """It is not what was asked for: nothing is sold for it, staff read why, and it goes back.

    Money of which nobody can tell that it was for this attempt, or that cannot be named to the provider, stays where it
    is until a human has looked.
    """
    asked = Money(payment.amount, payment.currency).format("en")
    problem = f"The provider took {_came(answer)}, and was asked for {asked}."
    money = our_money(answer.amount, answer.currency) if answer.key == payment.idempotency_key else None
    if money:
        settled = transitions.succeed_otherwise(
            payment_id=payment.pk, provider_id=answer.id, intent_id=answer.intent_id, money=money, problem=problem
        )
    else:
        settled = transitions.fail(payment_id=payment.pk, problem=problem, provider_id=answer.id)
    if not settled:
        return
    log.error("payment_differs", payment=payment.pk, session=answer.id)
    SETTLED.labels(outcome="differs").inc()
    if money:
        give_back(payment_id=payment.pk, amount=money.amount, reason="not the sum that was asked for")


def _came(answer: Answer) -> str:
    """The sum in words; as the provider counts it, where that is no sum of ours."""
    try:
        money = our_money(answer.amount, answer.currency)
    except (TypeError, ValueError):
        money = None
    return f"{answer.amount} {answer.currency}" if money is None else money.format("en")


def give_back(*, payment_id: int, amount: int, reason: str) -> None:
    """Plan that money goes back which bought nothing, and the mail that says so. Part of the caller's transaction."""
    order_id = Payment.objects.values_list("order_id", flat=True).get(pk=payment_id)
    orders.expire_paid_too_late(order_id=order_id)
    plan_refund(payment_id=payment_id, amount=amount, reason=reason)
    plan_mail_about(order_id=order_id, kind=paid_too_late.KIND, occurrence=str(payment_id))


def _confirm(order_id: int) -> bool:
    """Whether this money bought the seats: by the order's hold, or by another one of the same seats."""
    try:
        if confirm_if_waiting(order_id=order_id) is not None:
            return True
    except (HoldExpired, HoldNotActive, HoldIncomplete, SeatsDiffer):
        pass  # its savepoint is rolled back
    return confirm_with_other_hold(order_id=order_id) is not None
