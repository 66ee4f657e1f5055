"""Closing the accounting of a cancelled show: after a week, and only when it matches exactly."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction

from boxoffice.attention.find_items import find_items
from boxoffice.attention.kinds import KINDS
from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.errors import ClosedBefore, NothingToWriteOff
from boxoffice.cancellation.pause import pause_refunds
from boxoffice.cancellation.read_progress import read_progress
from boxoffice.cancellation.write_off import undo_write_off, write_off
from boxoffice.changes.pay_out import pay_out
from boxoffice.models import Cancellation, CancellationStep, Order, Payment, Refund
from boxoffice.refunds.ask_provider import Answer, Means
from boxoffice.refunds.errors import WrittenOff
from boxoffice.refunds.record_answer import record_answer
from boxoffice.refunds.try_again import try_again
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.refund_story import owed_money
from inventory.models import Show
from jobs.clock import database_now
from tests.cancelled_shows import WHO_AND_WHY, Work, begin_cancelling, pay_at, run_steps, send_all, sold_show
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("refunds_without_limit")]


@pytest.fixture
def cancelled_show(refund_provider: Payments, work: Work) -> Show:
    """Four orders: one was paid in cash, one payment the provider does not know, so that it refuses for good."""
    show = sold_show(orders=4)
    cash, unknown, *_ = Order.objects.filter(show=show).order_by("pk")
    Payment.objects.filter(order=cash).update(method="cash", provider_id="", intent_id="", page_url="")
    pay_at(refund_provider, show=show)
    Payment.objects.filter(order=unknown).update(intent_id="pi_unknown")
    begin_cancelling(show)
    run_steps(work)
    send_all(work)
    return show


def phase() -> str:
    return Cancellation.objects.get().phase


def let_pass(clock: Clock, work: Work, **time: float) -> None:
    """So much time goes by, and what is due then runs."""
    clock.advance(timedelta(**time))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE jobs_job SET gate = 'ready' WHERE gate = 'later' AND available_at <= jobs_now()")
    run_steps(work)


def test_a_refund_that_is_refused_for_good_stops_no_other_and_is_written_off_before_it_closes(
    work: Work, clock: Clock, cancelled_show: Show
) -> None:
    cash, unknown, *_others = Order.objects.filter(show=cancelled_show).order_by("pk")
    progress = read_progress(show_id=cancelled_show.pk)
    assert progress is not None
    assert (progress.done.count, progress.failed.count, progress.by_hand.count) == (2, 1, 1)
    needed = find_items(kinds=[kind for kind in KINDS if kind.name == "refunds"])
    assert {item.order_id for item in needed.items} == {cash.pk, unknown.pk}

    let_pass(clock, work, days=6, hours=23)
    assert phase() == "waiting"
    let_pass(clock, work, hours=2)
    assert phase() == "closing"
    reasons = CancellationStep.objects.get(step="look").result["reasons"]
    assert len(reasons) == 2, reasons
    progress = read_progress(show_id=cancelled_show.pk)
    assert progress is not None
    assert len(progress.reasons) == 2

    pay_out(refund_id=Refund.objects.get(payment__order=cash).pk, **WHO_AND_WHY)
    let_pass(clock, work, seconds=10)
    assert (phase(), len(CancellationStep.objects.get(step="look").result["reasons"])) == ("closing", 1)

    (money,) = write_off(order_id=unknown.pk, **WHO_AND_WHY)
    assert money.amount == unknown.total
    with pytest.raises(NothingToWriteOff):
        write_off(order_id=unknown.pk, **WHO_AND_WHY)
    with pytest.raises(WrittenOff):
        try_again(refund_id=Refund.objects.get(payment__order=unknown).pk, **WHO_AND_WHY)
    needed = find_items(kinds=[kind for kind in KINDS if kind.name == "refunds"])
    assert needed.total == 0
    let_pass(clock, work, seconds=10)
    assert phase() == "closed"
    (account,) = read_accounts(show_id=cancelled_show.pk).accounts
    assert account.paid == account.given_back + account.written_off
    assert (account.written_off, account.left, account.under_way) == (unknown.total, 0, 0)
    for refused in (undo_write_off, write_off):
        with pytest.raises(ClosedBefore):
            refused(order_id=unknown.pk, **WHO_AND_WHY)
    with pytest.raises(ClosedBefore):
        pause_refunds(show_id=cancelled_show.pk, **WHO_AND_WHY)


def test_what_was_written_off_can_be_refunded_after_all_once_that_is_undone(
    refund_provider: Payments, work: Work, cancelled_show: Show
) -> None:
    unknown = Order.objects.filter(show=cancelled_show).order_by("pk")[1]
    write_off(order_id=unknown.pk, **WHO_AND_WHY)
    undo_write_off(order_id=unknown.pk, **WHO_AND_WHY)
    later = try_again(refund_id=Refund.objects.get(payment__order=unknown).pk, **WHO_AND_WHY)
    assert later.cancellation_id == Cancellation.objects.get().pk
    assert list(unknown.actions.order_by("pk").values_list("action", flat=True)) == [
        "show cancelled", "write off", "undo write off", "try again",
    ]  # fmt: skip


def test_what_was_written_off_is_not_offered_again_and_what_a_bank_sends_back_after_the_closing_is_named(
    work: Work, clock: Clock, cancelled_show: Show
) -> None:
    cash, unknown, other, _last = Order.objects.filter(show=cancelled_show).order_by("pk")
    assert [owed.can_try for owed in owed_money(gather_facts(order=unknown))] == [True]
    write_off(order_id=unknown.pk, **WHO_AND_WHY)
    assert not list(owed_money(gather_facts(order=unknown)))
    pay_out(refund_id=Refund.objects.get(payment__order=cash).pk, **WHO_AND_WHY)
    let_pass(clock, work, days=7, minutes=1)
    assert phase() == "closed"

    clock.advance(timedelta(days=3))
    sent_back = Refund.objects.get(payment__order=other)
    answer = Answer(means=Means.RETURNED, provider_id=sent_back.provider_id, code="lost_or_stolen_card")
    with transaction.atomic():
        assert record_answer(refund=sent_back, answer=answer)
    needed = find_items(kinds=[kind for kind in KINDS if kind.name == "refunds"])
    assert {item.order_id for item in needed.items} == {other.pk}
    assert [owed.can_try for owed in owed_money(gather_facts(order=other))] == [True]
    assert phase() == "closed"


def test_it_looks_again_by_itself_where_nobody_told_it_that_the_last_sum_was_settled(
    work: Work, clock: Clock, cancelled_show: Show
) -> None:
    let_pass(clock, work, days=7, minutes=1)
    Refund.objects.exclude(status="succeeded").update(status="succeeded", failure="", settled_at=database_now())
    let_pass(clock, work, minutes=1)
    assert phase() == "closing"
    let_pass(clock, work, hours=1)
    assert phase() == "closed"
