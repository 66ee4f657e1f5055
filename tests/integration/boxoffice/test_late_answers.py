"""An answer or event about an attempt that was given up, while or after somebody has it tried again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from boxoffice.models import Order, OrderLine, Refund
from boxoffice.refunds.ask_provider import answer_of
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.errors import NotTriedAgain
from boxoffice.refunds.record_answer import record_answer
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.settle_refund import settle_refund
from boxoffice.refunds.try_again import mark_refund_failed, try_again
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back

pytestmark = pytest.mark.django_db(transaction=True)


def given_up(order: Order, provider: Payments) -> tuple[Refund, dict[str, Any]]:
    """An attempt that came through though its job is dead, and what the provider says of it."""
    refund = refund_order(order_id=order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    made = provider.client().v1.refunds.create(
        {
            "payment_intent": refund.payment.intent_id,
            "amount": refund.amount,
            "metadata": {"refund": str(refund.pk)},
        }
    )
    with transaction.atomic():
        mark_refund_failed(refund_id=refund.pk)
    return refund, made.to_dict()


def hear(told: dict[str, Any]) -> None:
    with transaction.atomic():
        settle_refund(refund=told)


def refunded_once(order: Order, made: dict[str, Any]) -> None:
    """One row has the provider's refund, pays for the lines, and its fan was told once; nothing is left to be done."""
    has_it = Refund.objects.get(provider_id=made["id"])
    assert has_it.status == "succeeded"
    assert not Refund.objects.filter(payment__order=order, replaces=has_it).exists()
    assert set(OrderLine.objects.filter(order=order).values_list("refund_id", flat=True)) == {has_it.pk}
    told = Notification.objects.filter(subject=order.subject, kind="refund_done")
    assert list(told.values_list("occurrence", flat=True)) == [f"refund:{has_it.pk}"]


def test_an_answer_that_was_asked_for_before_another_attempt_was_planned_settles_that_attempt(
    paid_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    first, made = given_up(paid_order, refund_provider)
    late = newest_attempt(refund_id=first.pk).refund
    again = try_again(refund_id=first.pk, **WHO_AND_WHY)
    with transaction.atomic():
        assert record_answer(refund=late, answer=answer_of(made))
    assert send().state == "done"
    again.refresh_from_db()
    assert (again.status, again.provider_id) == ("succeeded", made["id"])
    refunded_once(paid_order, made)
    assert money_back(refund_provider) == [8_400]


def test_an_event_that_comes_while_somebody_presses_leaves_one_refund_and_no_dead_job(
    make_paid_order: Callable[..., Order], refund_provider: Payments, send: Callable[..., Job]
) -> None:
    orders = [make_paid_order() for _each in range(10)]
    for order in orders:
        first, made = given_up(order, refund_provider)
        press = partial(try_again, refund_id=first.pk, **WHO_AND_WHY)
        outcomes = all_at_once([press, partial(hear, made), press, partial(hear, made)], threads=4)
        assert {type(each) for each in outcomes if isinstance(each, Exception)} <= {NotTriedAgain}
        assert send().state == "done"
        refunded_once(order, made)
    assert money_back(refund_provider) == [8_400] * len(orders)
