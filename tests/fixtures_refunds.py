"""Orders that were paid at the stand-in, and their refunds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from boxoffice.confirm_order import confirm_order
from boxoffice.disputes.take_dispute import take_dispute
from boxoffice.models import Order, OrderLine, Payment, Refund
from boxoffice.payments.minor_units import provider_amount
from inventory.models import Hold
from inventory.money import Money
from jobs import transitions
from jobs.clock import DatabaseNow
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_boxoffice import place
from tests.fixtures_payments import Payments
from tests.payment_keys import API_KEY

WHO_AND_WHY = {"by": "anna", "reason": "the fan is ill"}
LONG_AGO = datetime.fromisoformat("2020-01-01T00:00:00+00:00")


@pytest.fixture
def refund_provider(payments: Payments, settings: Any) -> Payments:
    """The stand-in, with the box office as its customer."""
    settings.STRIPE_API_KEY, settings.STRIPE_API_BASE = API_KEY, payments.address
    return payments


@pytest.fixture
def make_paid_order(refund_provider: Payments, make_hold: Callable[..., Hold]) -> Callable[..., Order]:
    """A confirmed order whose seats cost ``price`` each, paid at the stand-in. Factories make the rows."""

    def make(*, seats: int = 2, price: int = 4_200, currency: str = "EUR") -> Order:
        order = confirm_order(order_id=place(make_hold(seats=seats, currency=currency)).pk)
        OrderLine.objects.filter(order=order).update(price=price)
        Order.objects.filter(pk=order.pk).update(total=seats * price)
        each = {
            "currency": currency.lower(),
            "unit_amount": provider_amount(Money(price, currency)),
            "product_data": {"name": "Seat"},
        }
        session = refund_provider.paid_session(line_items=[{"price_data": each, "quantity": seats}])
        Payment.objects.create(
            order=order,
            status=Payment.Status.SUCCEEDED,
            amount=seats * price,
            currency=currency,
            idempotency_key=f"payment-{order.pk}",
            provider_id=session.id,
            intent_id=str(session.payment_intent),
            settled_at=DatabaseNow(),
        )
        order.refresh_from_db()
        return order

    return make


@pytest.fixture
def paid_order(make_paid_order: Callable[..., Order]) -> Order:
    """Two seats of 42.00 EUR."""
    return make_paid_order()


@pytest.fixture
def dispute(paid_order: Order, refund_provider: Payments) -> Callable[..., str]:
    """The payment of ``paid_order`` is disputed, and the dispute has gone through these states."""

    def make(*states: str, **given: Any) -> str:
        intent = Payment.objects.get(order=paid_order).intent_id
        found = str(refund_provider.post("dispute", payment_intent=intent, **given)["id"])
        for status in states:
            refund_provider.post("dispute", id=found, status=status)
        take_dispute(provider_id=found)
        return found

    return make


@pytest.fixture
def send(work: Callable[[int], Outcome]) -> Callable[..., Job]:
    """Run the newest job of a task once, now, as relay and worker make it."""

    def run(task: str = "boxoffice.send_refund") -> Job:
        job = Job.objects.filter(task=task).latest("pk")
        Job.objects.filter(pk=job.pk, state="waiting").update(available_at=LONG_AGO, gate="ready")
        engine_session("default")
        transitions.mark_due(using="default", queue=job.queue, window=50, batch=50)
        work(job.pk)
        job.refresh_from_db()
        return job

    return run


def money_back(provider: Payments) -> list[int]:
    """What the stand-in has paid back, in its own count, oldest first."""
    return [refund.amount for refund in provider.client().v1.refunds.list({"limit": 100}).data][::-1]


def refunds() -> list[tuple[int, str]]:
    """Amount and state of each attempt."""
    return list(Refund.objects.order_by("pk").values_list("amount", "status"))


def age(refund: Refund, *, hours: int) -> None:
    """Let the attempt, and its key, be so old."""
    Refund.objects.filter(pk=refund.pk).update(created_at=F("created_at") - timedelta(hours=hours))
