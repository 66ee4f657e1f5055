"""A refund that failed is tried again: with another key, of money that is left."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.models import Dispute, Order, OrderLine, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.errors import (
    NotEnoughLeft,
    NotTriedAgain,
    PaymentDisputed,
)
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.try_again import try_again
from jobs.clock import database_now
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back, refunds
from tests.refunded_orders import Send

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_refused_refund_is_tried_again_with_another_key(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    first = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert first is not None
    refund_provider.turn(refunds="refuse")
    assert send().state == "done"  # a refusal is an answer
    first.refresh_from_db()
    assert (first.status, first.failure, first.failure_code) == ("failed", "refused", "balance_insufficient")
    assert not Notification.objects.filter(kind="refund_done").exists()

    refund_provider.turn(refunds="succeed")
    press = partial(try_again, refund_id=first.pk, **WHO_AND_WHY)
    outcomes = all_at_once([press] * 4, threads=4)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NotTriedAgain"] * 3 + ["Refund"]
    send()
    second = Refund.objects.get(replaces=first)
    assert (second.status, second.idempotency_key != first.idempotency_key) == ("succeeded", True)
    assert set(OrderLine.objects.filter(order=paid_order).values_list("refund_id", flat=True)) == {second.pk}
    assert money_back(refund_provider) == [8_400]
    with pytest.raises(NotTriedAgain):
        try_again(refund_id=second.pk, **WHO_AND_WHY)


def test_who_tries_again_what_is_not_left_any_more_is_told_that_it_is_the_money(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    failed = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert failed is not None
    refund_provider.turn(refunds="refuse")
    send()
    with transaction.atomic():
        other = transitions.plan(payment_id=failed.payment_id, amount=100, reason="a part of it")
    assert other is not None
    with pytest.raises(NotEnoughLeft, match="not so much is left"):
        try_again(refund_id=failed.pk, **WHO_AND_WHY)
    Refund.objects.filter(pk=other.pk).delete()
    Dispute.objects.create(
        payment_id=failed.payment_id, provider_id="du_1", status="needs_response", amount=8_400, currency="EUR",
        opened_at=database_now(), asked_at=database_now(),
    )  # fmt: skip
    with pytest.raises(PaymentDisputed):
        try_again(refund_id=failed.pk, **WHO_AND_WHY)
    assert refunds() == [(8_400, "failed")]


def test_a_refund_that_failed_for_want_of_balance_says_to_top_it_up(
    staff: Client, refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    refund_provider.turn(refunds="refuse")
    send()
    page = f"/admin/boxoffice/order/{paid_order.pk}/"
    for where in (f"{page}change/", f"{page}refund/{Refund.objects.get().pk}/again/"):
        assert "Our balance at the payment provider was too low. Top it up" in staff.get(where).content.decode()
