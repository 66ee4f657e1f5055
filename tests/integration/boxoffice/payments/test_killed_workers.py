"""A worker dies after the provider has done what it was asked, before we wrote it down: money moves once (I3, I4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.look_again import look
from boxoffice.payments.start_payment import start_payment
from boxoffice.refunds.refund_order import refund_order
from jobs.models import Job
from tests.failpoints import Failpoints
from tests.fixtures_jobs import broker_url, empty, environment
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back
from tests.processes import System, one_process_at_work, wait_for
from tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE_THE_RECORD = "after the effect, before done"
BEFORE_THE_COMMIT = "after done, before its commit"


@pytest.fixture
def money_points(tmp_path: Path) -> Failpoints:
    return Failpoints(tmp_path)


@pytest.fixture
def money_workers(paid_house: Payments, money_points: Failpoints) -> Iterator[System]:
    """A relay, and one worker with one process for the jobs about money."""
    url = broker_url("redis")
    empty(url)
    provider = {"STRIPE_API_BASE": paid_house.address, "FAILPOINTS": str(money_points.folder)}
    with one_process_at_work(environment(url) | provider, queues="payments") as system:
        yield system


def paid_and_told(order: Order, payments: Payments) -> Payment:
    """The fan has paid and closed the browser; the webhook has come."""
    start_payment(order_id=order.pk)
    payment = Payment.objects.get(order=order)
    payments.post("pay", session=payment.provider_id)
    with transaction.atomic():
        look(payment_id=payment.pk, order_code=order.code)
    return payment


def half_back(order: Order) -> Refund:
    """One of two seats: the payment has enough left for a second refund of the same sum."""
    line = order.lines.order_by("pk").values_list("pk", flat=True)[0]
    refund = refund_order(order_id=order.pk, line_ids=[line], **WHO_AND_WHY).refund
    assert refund is not None
    return refund


def test_a_worker_killed_between_the_providers_answer_and_our_record_sells_once_and_refunds_once(
    money_workers: System, money_points: Failpoints, dear_order: Order, paid_order: Order, paid_house: Payments
) -> None:
    money_points.arm(BEFORE_THE_RECORD, "kill")
    payment = paid_and_told(dear_order, paid_house)
    wait_for(lambda: money_points.fired(BEFORE_THE_RECORD), what="the payment's worker is killed")
    wait_for(lambda: Order.objects.get(pk=dear_order.pk).status == "confirmed", what="the order is confirmed")
    payment.refresh_from_db()
    assert payment.status == "succeeded"
    assert Job.objects.filter(task="tickets.issue_tickets", subject=dear_order.subject).count() == 1
    assert Ticket.objects.filter(order_id=dear_order.pk).count() == 2

    money_points.arm(BEFORE_THE_COMMIT, "kill")
    refund = half_back(dear_order)
    wait_for(lambda: money_points.fired(BEFORE_THE_COMMIT), what="the refund's worker is killed")
    wait_for(lambda: Refund.objects.get(pk=refund.pk).status == "succeeded", what="the refund is written down")
    assert money_back(paid_house) == [4_200]

    money_points.arm(BEFORE_THE_RECORD, "kill all")
    other = half_back(paid_order)
    wait_for(lambda: not money_workers.processes[0].alive, what="the whole worker is dead")
    assert money_back(paid_house) == [4_200, 4_200]  # the provider has done it, and we do not know
    assert Refund.objects.get(pk=other.pk).status == "planned"
    money_workers.start_worker(queues="payments", concurrency=1, wait=False)
    wait_for(lambda: Refund.objects.get(pk=other.pk).status == "succeeded", what="the next worker has written it down")
    assert money_back(paid_house) == [4_200, 4_200]
    assert Refund.objects.count() == 2
    assert set(Job.objects.filter(queue="payments").values_list("state", flat=True)) == {"done"}
