"""Refunds of a cancelled show at the rate of the provider, and what becomes of those that it refuses for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection

from boxoffice.models import Order, Payment
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.refund_order import refund_order
from inventory.models import Show
from jobs.models import Job
from notifications.limits.take import RETRY_SPREAD_SECONDS, rest
from tests.cancelled_shows import Work, begin_cancelling, hand_out, pay_at, run_steps, send_all, sold_show
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back

pytestmark = pytest.mark.django_db(transaction=True)

# How long a job waits that was refused; by the clock of the database.
WAITS = "SELECT extract(epoch FROM available_at - jobs_now())::float8, attempts, reason FROM jobs_job WHERE id = %s"


@pytest.fixture
def nobody_rests() -> None:
    with redis.from_url(django_settings.REDIS_URL, socket_timeout=20) as server:
        server.delete("notifications:limit:refunds", "notifications:limit:refunds:rest")


@pytest.fixture
def planned_show(refund_provider: Payments, work: Work, nobody_rests: None) -> Show:
    """Four refunds are planned, and none was sent."""
    show = sold_show(orders=4)
    pay_at(refund_provider, show=show)
    begin_cancelling(show)
    run_steps(work)
    return show


def test_a_refund_that_is_refused_for_the_rate_comes_again_soon_and_once_and_all_rest_meanwhile(
    refund_provider: Payments, work: Work, planned_show: Show
) -> None:
    refused, next_one = hand_out(queue="refunds")[:2]
    refund_provider.turn(limit_next=1, retry_after_s=0)
    work(refused)
    with connection.cursor() as cursor:
        cursor.execute(WAITS, [refused])
        waits, attempts, reason = cursor.fetchone()
    assert (attempts, reason) == (0, "rate limited")
    assert 0 < waits <= 1.1 * (1 + RETRY_SPREAD_SECONDS), "not as long as for a provider whose rate nobody keeps"
    assert money_back(refund_provider) == []

    rest("refunds", asked=30)
    work(next_one)
    assert money_back(refund_provider) == [], "nobody asks a provider that wants to be left alone"
    with redis.from_url(django_settings.REDIS_URL, socket_timeout=20) as server:
        server.delete("notifications:limit:refunds:rest")

    Job.objects.filter(queue="refunds", state__in=["waiting", "published"]).update(state="waiting", gate="ready")
    send_all(work)
    paid = sorted(Payment.objects.filter(order__show=planned_show).values_list("amount", flat=True))
    assert sorted(money_back(refund_provider)) == paid


def test_a_single_refund_goes_out_while_those_of_cancelled_shows_rest(
    refund_provider: Payments, paid_order: Order, send: Callable[..., Job], nobody_rests: None
) -> None:
    rest("refunds", asked=30)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    assert send().state == "done"
    assert money_back(refund_provider) == [8_400]
    with redis.from_url(django_settings.REDIS_URL, socket_timeout=20) as server:
        server.delete("notifications:limit:refunds:rest")


def test_what_is_known_of_an_attempt_is_read_at_once(
    refund_provider: Payments, paid_order: Order, django_assert_num_queries: Any
) -> None:
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    refund_id = Job.objects.get(task="boxoffice.send_refund").args["refund_id"]
    with django_assert_num_queries(1):
        attempt = newest_attempt(refund_id=refund_id)
        assert attempt.refund.payment.order.subject == paid_order.subject
        assert (attempt.refund.cancellation, attempt.ids, attempt.key_is_old) == (None, {refund_id}, False)
    assert attempt.refund.payment.request == {}, "what was not read is read when somebody asks"
