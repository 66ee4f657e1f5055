"""Pausing the refunds of a cancelled show, and what happens when the balance at the provider is too low."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from boxoffice.cancellation.balance import ask_on_though_dead
from boxoffice.cancellation.errors import NotPaused, PausedBefore
from boxoffice.cancellation.pause import pause_refunds
from boxoffice.cancellation.read_progress import read_progress
from boxoffice.cancellation.resume import resume_refunds
from boxoffice.models import Cancellation, Payment, Refund, ShowAction
from boxoffice.refunds.ask_provider import Answer, Means
from boxoffice.refunds.record_answer import record_answer
from inventory.models import Show
from jobs.models import Job
from tests.cancelled_shows import (
    WHO_AND_WHY,
    Work,
    begin_cancelling,
    hand_out,
    pay_at,
    run_steps,
    send_all,
    sold_show,
)
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import money_back

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("refunds_without_limit")]


@pytest.fixture
def planned_show(refund_provider: Payments, work: Work) -> Show:
    """Six refunds are planned, and none was sent."""
    show = sold_show(orders=6)
    pay_at(refund_provider, show=show)
    begin_cancelling(show)
    run_steps(work)
    return show


def gates() -> set[tuple[str, str]]:
    """How the jobs that send refunds stand."""
    return set(Job.objects.filter(queue="refunds", state="waiting").values_list("gate", "reason"))


def ask_for_balance(work: Work) -> None:
    """Let the job that asks come now."""
    Job.objects.filter(task="boxoffice.ask_for_balance", state="waiting").update(gate="ready")
    for job_id in hand_out(queue="refunds", tasks=["boxoffice.ask_for_balance"]):
        work(job_id)


def test_while_it_is_paused_no_refund_is_sent_and_the_jobs_wait_aside(
    refund_provider: Payments, work: Work, planned_show: Show
) -> None:
    in_hand = hand_out(queue="refunds")[:2]
    pause_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    for job_id in in_hand:
        work(job_id)  # a worker had it already: it asks before it calls
    assert money_back(refund_provider) == []
    assert set(Job.objects.filter(pk__in=in_hand).values_list("state", "attempts")) == {("waiting", 0)}
    Job.objects.filter(queue="refunds", state="published").update(state="waiting")
    run_steps(work)
    assert {gate for gate, _reason in gates()} == {"later"}
    with pytest.raises(PausedBefore):
        pause_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    progress = read_progress(show_id=planned_show.pk)
    assert progress is not None
    assert (progress.is_paused, progress.why_paused, progress.ends_at) == (True, WHO_AND_WHY["reason"], None)

    resume_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    run_steps(work)
    assert gates() == {("ready", "")}
    send_all(work)
    assert len(money_back(refund_provider)) == 6
    with pytest.raises(NotPaused):
        resume_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    done = ShowAction.objects.filter(show=planned_show).order_by("pk").values_list("action", flat=True)
    assert list(done) == ["cancel", "pause", "resume"]


@pytest.mark.parametrize("fate", ["refuse", "pending"])
def test_a_balance_that_is_too_low_pauses_everything_and_it_goes_on_by_itself_when_topped_up(
    refund_provider: Payments, work: Work, clock: Clock, planned_show: Show, fate: str
) -> None:
    refund_provider.turn(refunds=fate, settle_after_s=0)
    first = hand_out(queue="refunds")[0]
    work(first)
    assert Cancellation.objects.get().pause == "balance"
    tried = Refund.objects.count()
    Job.objects.filter(queue="refunds", state="published").update(state="waiting")
    send_all(work)
    assert Refund.objects.count() == tried, "who comes while it is paused asks the provider for nothing"

    clock.advance(timedelta(minutes=2))
    ask_for_balance(work)
    assert Cancellation.objects.get().pause == "balance"

    refund_provider.turn(refunds="succeed")
    for refund in Refund.objects.filter(status="pending"):
        refund_provider.post("settle", id=refund.provider_id)
    clock.advance(timedelta(minutes=5))
    ask_for_balance(work)
    assert Cancellation.objects.get().pause == ""
    run_steps(work)
    send_all(work)

    paid = sorted(Payment.objects.filter(order__show=planned_show).values_list("amount", flat=True))
    assert sorted(money_back(refund_provider)) == paid
    progress = read_progress(show_id=planned_show.pk)
    assert progress is not None
    assert (progress.done.count, progress.planned.count, progress.failed.count) == (6, 6, 0)


def test_what_staff_have_paused_does_not_go_on_by_itself(
    refund_provider: Payments, work: Work, clock: Clock, planned_show: Show
) -> None:
    refund_provider.turn(refunds="refuse")
    work(hand_out(queue="refunds")[0])
    pause_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    refund_provider.turn(refunds="succeed")
    clock.advance(timedelta(minutes=2))
    ask_for_balance(work)
    assert Cancellation.objects.get().pause == "staff"
    assert money_back(refund_provider) == []


def test_a_bank_that_is_slow_with_one_refund_does_not_pass_for_a_balance_that_was_topped_up(
    refund_provider: Payments, work: Work, clock: Clock, planned_show: Show
) -> None:
    slow, refused = hand_out(queue="refunds")[:2]
    refund_provider.turn(refunds="slow", settle_after_s=0)
    work(slow)
    assert (Refund.objects.filter(status="pending").count(), Cancellation.objects.get().pause) == (1, "")
    refund_provider.turn(refunds="refuse")
    work(refused)
    assert Cancellation.objects.get().pause == "balance"
    clock.advance(timedelta(minutes=2))
    ask_for_balance(work)
    assert Cancellation.objects.get().pause == "balance"
    refund_provider.turn(refunds="succeed")
    clock.advance(timedelta(minutes=5))
    ask_for_balance(work)
    assert Cancellation.objects.get().pause == ""


def test_a_provider_that_was_away_for_long_does_not_leave_everybody_waiting(
    refund_provider: Payments, work: Work, planned_show: Show
) -> None:
    refund_provider.turn(refunds="refuse")
    work(hand_out(queue="refunds")[0])
    asks = Job.objects.get(task="boxoffice.ask_for_balance")
    Job.objects.filter(pk=asks.pk).update(state="dead")
    with transaction.atomic():
        ask_on_though_dead(**asks.args)
    assert Job.objects.filter(task="boxoffice.ask_for_balance", state="waiting", gate="later").count() == 1
    resume_refunds(show_id=planned_show.pk, **WHO_AND_WHY)
    Job.objects.filter(task="boxoffice.ask_for_balance", state="waiting").delete()
    with transaction.atomic():
        ask_on_though_dead(**asks.args)
    assert not Job.objects.filter(task="boxoffice.ask_for_balance", state="waiting").exists()


def test_a_refund_that_waited_for_the_balance_until_the_provider_gave_it_up_is_asked_for_again_by_itself(
    refund_provider: Payments, work: Work, planned_show: Show
) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    work(hand_out(queue="refunds")[0])
    waited = Refund.objects.get(status="pending")
    for code, tries in (("insufficient_funds", 1), ("insufficient_funds", 1), ("lost_or_stolen_card", 1)):
        given_up = Answer(means=Means.RETURNED, provider_id=waited.provider_id, code=code)
        with transaction.atomic():
            record_answer(refund=waited, answer=given_up)
        assert Refund.objects.filter(replaces=waited, status="planned", amount=waited.amount).count() == tries
    again = Refund.objects.get(replaces=waited)
    job = Job.objects.get(task="boxoffice.send_mass_refund", args={"refund_id": again.pk})
    assert (job.state, job.gate) == ("waiting", "later")
    bank = Refund.objects.filter(status="planned").exclude(pk=again.pk)[0]
    with transaction.atomic():
        record_answer(refund=bank, answer=Answer(Means.RETURNED, provider_id="re_card", code="lost_or_stolen_card"))
    assert not Refund.objects.filter(replaces=bank).exists(), "what a bank sends back is for people"
