"""What the provider's events and answers make of a refund, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.errors import MalformedEvent
from boxoffice.refunds import transitions
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.try_again import try_again
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back, refunds
from tests.refunded_orders import Send, event_about, settle

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_pending_refund_is_settled_by_an_event_once(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    refund = Refund.objects.get()
    pending = event_about(refund_provider, refund)
    assert (refund.status, Job.objects.get(task="boxoffice.ask_about_refund").state) == ("pending", "waiting")
    refund_provider.post("settle", id=refund.provider_id)
    settled = event_about(refund_provider, refund)
    assert [settle(settled), settle(settled), settle(pending)] == [True, False, False]  # twice, and out of order
    assert refunds() == [(8_400, "succeeded")]
    assert Notification.objects.filter(kind="refund_done").count() == 1


def test_a_pending_refund_of_which_no_event_tells_is_asked_about(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    send("boxoffice.ask_about_refund")
    assert (refunds(), Job.objects.filter(task="boxoffice.ask_about_refund").count()) == ([(8_400, "pending")], 2)
    refund_provider.post("settle", id=Refund.objects.get().provider_id)
    send("boxoffice.ask_about_refund")
    assert refunds() == [(8_400, "succeeded")]


def test_money_that_the_bank_sends_back_is_owed_again(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(refunds="fail_later", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    refund = Refund.objects.get()
    succeeded = event_about(refund_provider, refund)
    refund_provider.post("settle", id=refund.provider_id, fails=True)
    assert [settle(event_about(refund_provider, refund)), settle(succeeded)] == [True, False]
    refund.refresh_from_db()
    assert (refund.status, refund.failure, refund.failure_code) == ("failed", "returned", "expired_or_canceled_card")
    refund_provider.turn(refunds="succeed")
    try_again(refund_id=refund.pk, **WHO_AND_WHY)
    send()
    assert refunds()[-1] == (8_400, "succeeded")


def test_an_event_that_is_here_before_the_answer_settles_the_refund(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    intent = Payment.objects.get().intent_id
    api = refund_provider.client().v1.refunds
    made = api.create({"payment_intent": intent, "metadata": {"refund": str(refund.pk)}})
    assert settle(made.to_dict()) is True
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400])


def test_an_event_that_meets_the_answer_while_it_commits_is_ours_and_settles_the_refund(
    refund_provider: Payments, paid_order: Order
) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    intent = Payment.objects.get().intent_id
    made = refund_provider.client().v1.refunds.create(
        {"payment_intent": intent, "metadata": {"refund": str(refund.pk)}}
    )
    first_looks: list[str] = []

    def the_answer_commits_after_the_first_look(execute: Any, sql: str, *given: Any) -> Any:
        rows = execute(sql, *given)
        if 'FROM "boxoffice_refund"' in sql and not first_looks:
            first_looks.append(sql)
            with ThreadPoolExecutor(1) as other_session:
                other_session.submit(_take_on, refund.pk, made.id).result(timeout=10)
        return rows

    with connection.execute_wrapper(the_answer_commits_after_the_first_look):
        assert settle(made.to_dict()) is True
    assert len(first_looks) == 1
    assert (refunds(), Refund.objects.get().provider_id) == ([(8_400, "succeeded")], made.id)


def _take_on(refund_id: int, provider_id: str) -> None:
    """As the job does that asked for it, and heard ``pending``."""
    try:
        assert transitions.mark_pending(refund_id=refund_id, provider_id=provider_id)
    finally:
        connection.close()


@pytest.mark.parametrize(
    "fault",
    [
        {"id": None},
        {"id": "re_\x00"},
        {"id": "re_" + "x" * 253},
        {"id": "re_\ud800"},
        {"metadata": "refund"},
        {"currency": None},
        {"status": "on the moon"},
        {"status": ["succeeded"]},
        {"failure_reason": "\x00", "status": "failed"},
    ],
    ids=lambda fault: repr(fault)[:40],
)
def test_a_refund_that_looks_as_no_refund_does_is_told_apart_and_changes_nothing(
    refund_provider: Payments, paid_order: Order, send: Send, fault: dict[str, Any]
) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    shown = event_about(refund_provider, Refund.objects.get())
    with pytest.raises(MalformedEvent):
        settle(shown | fault)
    assert refunds() == [(8_400, "pending")]


def test_a_refund_made_by_hand_at_the_provider_changes_nothing_of_ours(
    refund_provider: Payments, paid_order: Order
) -> None:
    made = refund_provider.client().v1.refunds.create(
        {"payment_intent": Payment.objects.get().intent_id, "amount": 100}
    )
    assert settle(made.to_dict()) is False
    assert refunds() == []


def test_a_refund_of_other_money_that_bears_our_number_settles_nothing(
    refund_provider: Payments, make_paid_order: Callable[..., Order], send: Send
) -> None:
    # As when another box office has the same account, or a restored database gives numbers out again.
    ours, other = make_paid_order(), make_paid_order()
    refund = refund_order(order_id=ours.pk, **WHO_AND_WHY).refund
    assert refund is not None
    foreign = refund_provider.client().v1.refunds.create(
        {"payment_intent": other.payments.get().intent_id, "metadata": {"refund": str(refund.pk)}}
    )
    assert settle(foreign.to_dict()) is False
    assert refunds() == [(8_400, "planned")]
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400, 8_400])
