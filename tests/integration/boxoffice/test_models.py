"""What the database itself refuses, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from boxoffice.models import Order, OrderLine, Payment, Refund
from inventory.models import Hold
from jobs.clock import DatabaseNow
from tests.fixtures_boxoffice import place

pytestmark = pytest.mark.django_db


def refused(constraint: str) -> Any:
    return pytest.raises(IntegrityError, match=constraint)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"status": "paid"}, "order_(status_is_known|confirmed_has_its_instant)"),
        ({"total": -1}, "order_total_is_not_negative"),
        ({"currency": "eur"}, "order_currency_is_a_code"),
        ({"status": "confirmed"}, "order_confirmed_has_its_instant"),
        ({"confirmed_at": DatabaseNow()}, "order_confirmed_has_its_instant"),
    ],
)
def test_an_impossible_order_is_refused(placed_order: Order, change: dict[str, Any], constraint: str) -> None:
    with refused(constraint), transaction.atomic():
        Order.objects.filter(pk=placed_order.pk).update(**change)


@pytest.mark.parametrize("same", ["code", "token", "hold_id"])
def test_two_orders_share_neither_code_nor_secret_nor_hold(
    placed_order: Order, make_hold: Callable[..., Hold], same: str
) -> None:
    other = place(make_hold())
    with refused(same), transaction.atomic():
        Order.objects.filter(pk=other.pk).update(**{same: getattr(placed_order, same)})


def test_a_seat_stands_in_an_order_once(placed_order: Order) -> None:
    line = placed_order.lines.all()[0]
    with refused("orderline_seat_once"), transaction.atomic():
        OrderLine.objects.create(order=placed_order, seat=line.seat, tier_name="Front", price=0)


def test_a_hold_with_an_order_cannot_be_deleted(placed_order: Order) -> None:
    with pytest.raises(ProtectedError):
        placed_order.hold.delete()


@pytest.fixture
def payment(placed_order: Order) -> Payment:
    """A first attempt, for later: no provider takes payments yet."""
    return Payment.objects.create(order=placed_order, amount=4_200, currency="EUR", idempotency_key="payment-1")


def test_an_idempotency_key_belongs_to_one_attempt(payment: Payment) -> None:
    with refused("payment_key_once"), transaction.atomic():
        Payment.objects.create(order=payment.order, amount=4_200, currency="EUR", idempotency_key="payment-1")
    Refund.objects.create(payment=payment, amount=100, currency="EUR", idempotency_key="refund-1")
    with refused("refund_key_once"), transaction.atomic():
        Refund.objects.create(payment=payment, amount=100, currency="EUR", idempotency_key="refund-1")


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"status": "paid"}, "payment_(status_is_known|settled_has_its_instant)"),
        ({"amount": 0}, "payment_amount_is_positive"),
        ({"currency": ""}, "payment_currency_is_a_code"),
        ({"idempotency_key": ""}, "payment_has_a_key"),
        ({"status": "succeeded"}, "payment_settled_has_its_instant"),
    ],
)
def test_an_impossible_payment_is_refused(payment: Payment, change: dict[str, Any], constraint: str) -> None:
    with refused(constraint), transaction.atomic():
        Payment.objects.update(**change)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"status": "created"}, "refund_(status_is_known|settled_has_its_instant)"),
        ({"amount": -5}, "refund_amount_is_positive"),
        ({"idempotency_key": ""}, "refund_has_a_key"),
        ({"status": "failed", "failure": "refused"}, "refund_settled_has_its_instant"),
        ({"status": "failed", "settled_at": DatabaseNow()}, "refund_failed_says_how"),
    ],
)
def test_an_impossible_refund_is_refused(payment: Payment, change: dict[str, Any], constraint: str) -> None:
    Refund.objects.create(payment=payment, amount=100, currency="EUR", idempotency_key="refund-1")
    with refused(constraint), transaction.atomic():
        Refund.objects.update(**change)
