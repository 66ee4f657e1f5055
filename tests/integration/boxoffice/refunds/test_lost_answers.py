"""Answers that are lost, limits, faults of the provider and dead workers: the money goes back once."""

from __future__ import annotations

import pytest
from django.db import transaction

from boxoffice.models import Order, OrderLine, Payment, Refund
from boxoffice.refunds.ask_provider import ask_for_refund
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.plan_refund import plan_refund
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.try_again import try_again
from jobs.dead.replay import replay_job
from jobs.models import Job
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, age, money_back, refunds
from tests.refunded_orders import Send, lines_of, settle

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_answer_that_was_lost_is_asked_for_with_the_same_key(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    job = send()
    assert (job.state, job.attempts, refunds()) == ("waiting", 1, [(4_200, "planned")])
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_an_old_key_is_not_sent_before_the_refunds_were_looked_through(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    send()
    age(Refund.objects.get(), hours=23)
    refund_provider.turn(advance_s=25 * 3600)  # the provider has forgotten the key
    send()
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_a_worker_that_dies_between_answer_and_record_refunds_once(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    planned = refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY).refund
    assert planned is not None
    ask_for_refund(newest_attempt(refund_id=planned.pk))  # all that such a worker leaves behind
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "planned")], [4_200])
    send()
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_a_rate_limit_costs_no_attempt(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(limit_next=1, retry_after_s=7)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    job = send()
    assert (job.state, job.attempts, job.reason) == ("waiting", 0, "rate limited")
    send()
    assert refunds() == [(8_400, "succeeded")]


@pytest.mark.parametrize("executes", [False, True])
def test_a_500_that_the_provider_keeps_ends_the_key_and_not_the_refund(
    refund_provider: Payments, paid_order: Order, send: Send, executes: bool
) -> None:
    refund_provider.turn(fail_next=1, fail_executes=executes)
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    assert send().state == "waiting"
    send()  # the same key hears the same answer; then the list tells
    if not executes:
        assert refunds() == [(4_200, "failed"), (4_200, "planned")]
        assert Refund.objects.get(replaces=None).failure == "key spent"
        send()
    assert (refunds()[-1], money_back(refund_provider)) == ((4_200, "succeeded"), [4_200])


def dead_of_silence(refund_provider: Payments, send: Send) -> Job:
    """The job that sends it, given up after an answer that was lost."""
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    Job.objects.filter(task="boxoffice.send_refund").update(attempts=19)
    job = send()
    assert (job.state, Refund.objects.get().failure) == ("dead", "unanswered")
    return job


@pytest.mark.parametrize("hours", [1, 30])
def test_the_replay_of_a_dead_job_refunds_what_was_refunded_no_second_time(
    refund_provider: Payments, paid_order: Order, send: Send, hours: int
) -> None:
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    job = dead_of_silence(refund_provider, send)
    age(Refund.objects.get(), hours=hours)
    if hours > 24:
        refund_provider.turn(advance_s=hours * 3600)
    replay_job(job_id=job.pk, generation=0, **WHO_AND_WHY)
    assert len(refunds()) == (1 if hours < 23 else 2)  # the same attempt goes on while its key is young
    assert send().state == "done"
    assert (refunds()[-1], money_back(refund_provider)) == ((4_200, "succeeded"), [4_200])


def test_money_of_which_nobody_knows_is_not_refunded_a_second_time_from_elsewhere(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    dead_of_silence(refund_provider, send)
    with transaction.atomic():
        assert plan_refund(payment_id=Payment.objects.get().pk, amount=8_400, reason="all") is None


def test_an_event_about_an_attempt_that_was_given_up_settles_the_one_that_tries_again(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    first = refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY).refund
    assert first is not None
    dead_of_silence(refund_provider, send)
    made = refund_provider.client().v1.refunds.list().data[0].to_dict()
    second = try_again(refund_id=first.pk, **WHO_AND_WHY)
    assert settle(made) is True
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "failed"), (4_200, "succeeded")], [4_200])
    assert OrderLine.objects.filter(refund=second).count() == 1
