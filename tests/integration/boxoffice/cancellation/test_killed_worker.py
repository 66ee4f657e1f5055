"""The worker that cancels a show is killed with all of its children, as a pod is."""

from __future__ import annotations

from collections import Counter

import pytest

from boxoffice.cancellation.accounts import read_accounts
from boxoffice.models import Cancellation, Payment, Refund
from notifications.models import Notification
from tests.cancelled_shows import begin_cancelling, pay_at, sold_show
from tests.fixtures_jobs import BROKERS, empty, environment
from tests.fixtures_payments import Payments
from tests.payment_keys import API_KEY
from tests.processes import System, wait_for

ORDERS = 60


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_in_the_middle_leaves_no_order_out_and_none_refunded_twice(
    refund_provider: Payments,
) -> None:
    show = sold_show(orders=ORDERS)
    pay_at(refund_provider, show=show)
    empty(BROKERS["redis"])
    system = System(
        {
            **environment(BROKERS["redis"]),
            "STRIPE_API_KEY": API_KEY,
            "STRIPE_API_BASE": refund_provider.address,
            "PAYMENTS_RATE_PER_SECOND": "0",
        }
    )
    try:
        system.start_relay(wait=False)
        worker = system.start_worker(queues="default,refunds", prefetch=1, wait=False)
        begin_cancelling(show)
        wait_for(lambda: done() >= ORDERS // 4, what="some refunds have left", seconds=60)
        worker.kill()
        system.start_worker(queues="default,refunds", prefetch=1, wait=False)
        wait_for(lambda: done() == ORDERS, what="all refunds have left", seconds=90)
        wait_for(lambda: Cancellation.objects.get().phase == "waiting", what="all mails are planned")
    finally:
        system.stop()
    back = Counter(
        (str(refund.payment_intent), refund.amount)
        for refund in refund_provider.client().v1.refunds.list({"limit": 100}).auto_paging_iter()
    )
    assert back == Counter(Payment.objects.filter(order__show=show).values_list("intent_id", "amount"))
    assert Notification.objects.filter(kind="show_cancelled").count() == ORDERS
    assert all(account.matches for account in read_accounts(show_id=show.pk).accounts)


def done() -> int:
    return Refund.objects.filter(status="succeeded").count()
