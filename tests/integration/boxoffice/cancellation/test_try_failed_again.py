"""One press that tries all failed refunds of a cancelled show again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from boxoffice.cancellation import try_failed_again as again
from boxoffice.cancellation.errors import NothingToTryAgain
from boxoffice.cancellation.plan_orders import SENDING
from boxoffice.cancellation.write_off import write_off
from boxoffice.models import Cancellation, Dispute, Order, OrderAction, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.try_again import try_again
from inventory.models import Show
from inventory.money import Money
from jobs.clock import database_now
from jobs.dead.replay import replay_job
from jobs.models import Job
from tests.cancelled_shows import Work, begin_cancelling, hand_out, pay_at, run_steps, send_all, sold_show
from tests.fixtures_payments import Payments
from tests.fixtures_staff import staff_with

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("ticket_files", "refunds_without_limit")]

WHY = {"by": "anna", "reason": "the provider is well again"}


@pytest.fixture
def failed_show(refund_provider: Payments, work: Work) -> Show:
    """A cancelled show of forty orders, all of whose refunds the provider refused, for a reason that has passed."""
    show = sold_show(orders=40)
    pay_at(refund_provider, show=show)
    begin_cancelling(show)
    run_steps(work)
    Job.objects.filter(task=SENDING).delete()
    for refund in Refund.objects.filter(cancellation__show=show):
        assert transitions.mark_failed(refund_id=refund.pk, failure="refused", code="charge_not_refundable")
    return show


def failed(show: Show) -> again.FailedRefunds:
    return again.failed_refunds(cancellation_id=Cancellation.objects.get(show=show).pk)


def try_all(work: Work, show: Show, *, until: int) -> None:
    again.ask_to_try_again(show_id=show.pk, until=until, **WHY)
    while due := hand_out(queue="default", tasks=[again.TASK]):
        work(due[0])


def newest(show: Show) -> list[Refund]:
    """The attempt of each chain that speaks for it now."""
    return list(Refund.objects.filter(cancellation__show=show, replaced_by__isnull=True).order_by("pk"))


def test_all_that_failed_are_tried_again_once_however_often_somebody_presses_and_whatever_moves_meanwhile(
    failed_show: Show, work: Work, refund_provider: Payments, monkeypatch: Any
) -> None:
    monkeypatch.setattr(again, "PAGE", 7)
    counted = failed(failed_show)
    refunds = newest(failed_show)
    assert (counted.count, counted.in_vain) == (len(refunds), 0)
    assert sum(money.amount for money in counted.money) == sum(refund.amount for refund in refunds)
    try_again(refund_id=refunds[3].pk, **WHY)  # by somebody who was faster with one
    for _press in range(2):
        again.ask_to_try_again(show_id=failed_show.pk, until=counted.newest, **WHY)
    assert Job.objects.filter(task=again.TASK, state="waiting").count() == 1
    while due := hand_out(queue="default", tasks=[again.TASK]):
        work(due[0])
    later = newest(failed_show)
    assert len(later) == len(refunds)
    assert {refund.replaces_id for refund in later} == {refund.pk for refund in refunds}
    assert {refund.status for refund in later} == {"planned"}
    assert OrderAction.objects.filter(action="try again", **WHY).count() == len(refunds)
    with pytest.raises(NothingToTryAgain):
        again.ask_to_try_again(show_id=failed_show.pk, until=counted.newest, **WHY)
    send_all(work)
    Job.objects.filter(task="boxoffice.send_refund", state="waiting").update(queue="refunds", task=SENDING)
    send_all(work)
    assert {refund.status for refund in newest(failed_show)} == {"succeeded"}
    made = refund_provider.client().v1.refunds.list({"limit": 100}).auto_paging_iter()
    assert len(list(made)) == len(refunds)


def test_what_no_attempt_can_mend_is_counted_apart_and_left(failed_show: Show, work: Work) -> None:
    lost, disputed, given_up, *_rest = refunds = newest(failed_show)
    Refund.objects.filter(pk=lost.pk).update(failure="returned", failure_code="lost_or_stolen_card")
    now = database_now()
    Dispute.objects.create(
        payment=disputed.payment, provider_id="du_1", status="lost", amount=disputed.amount, currency="EUR",
        opened_at=now, asked_at=now,
    )  # fmt: skip
    write_off(order_id=given_up.payment.order_id, **WHY)
    counted = failed(failed_show)
    assert (counted.count, counted.in_vain) == (len(refunds) - 3, 2)
    try_all(work, failed_show, until=counted.newest)
    left = {refund.pk for refund in newest(failed_show) if refund.status == "failed"}
    assert left == {lost.pk, disputed.pk, given_up.pk}


def test_of_a_payment_of_which_a_part_went_back_meanwhile_the_rest_is_tried(failed_show: Show, work: Work) -> None:
    first = newest(failed_show)[0]
    with transaction.atomic():
        transitions.plan(payment_id=first.payment_id, amount=100, reason="a part")
    before = failed(failed_show)
    try_all(work, failed_show, until=before.newest)
    later = Refund.objects.get(replaces=first)
    assert later.amount == first.amount - 100
    assert before.money == [Money(sum(r.amount for r in newest(failed_show)) - 100, "EUR")]


REFUSE = """
    CREATE FUNCTION refuse_refund() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'this one cannot be planned'; END $$;
    CREATE TRIGGER refuse_refund BEFORE INSERT ON boxoffice_refund
       FOR EACH ROW WHEN ({which}) EXECUTE FUNCTION refuse_refund();
"""
ALLOW = "DROP TRIGGER IF EXISTS refuse_refund ON boxoffice_refund; DROP FUNCTION IF EXISTS refuse_refund()"


@pytest.fixture
def refuse() -> Iterator[Callable[[str], None]]:
    """Have the database refuse to plan such refunds, with an error that no waiting mends."""

    def run(which: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(ALLOW)
            cursor.execute(REFUSE.format(which=which))

    yield run
    with connection.cursor() as cursor:
        cursor.execute(ALLOW)


def test_one_that_cannot_be_planned_stays_among_the_failed_and_keeps_no_other_from_it(
    failed_show: Show, work: Work, refuse: Callable[[str], None], monkeypatch: Any
) -> None:
    monkeypatch.setattr(again, "PAGE", 7)
    counted = failed(failed_show)
    refunds = newest(failed_show)
    stuck = refunds[3]
    refuse(f"NEW.replaces_id = {stuck.pk}")
    try_all(work, failed_show, until=counted.newest)
    assert set(Job.objects.filter(task=again.TASK).values_list("state", flat=True)) == {"done"}
    assert [refund.pk for refund in newest(failed_show) if refund.status == "failed"] == [stuck.pk]
    assert Refund.objects.filter(replaces__in=refunds, status="planned").count() == len(refunds) - 1
    assert OrderAction.objects.filter(action="try again", **WHY).count() == len(refunds) - 1
    assert Job.objects.filter(task=SENDING).count() == len(refunds) - 1
    assert failed(failed_show).count == 1


def test_where_none_can_be_planned_the_job_is_dead_and_its_replay_tries_all_of_them(
    failed_show: Show, work: Work, refuse: Callable[[str], None], monkeypatch: Any
) -> None:
    monkeypatch.setattr(again, "PAGE", 7)
    counted = failed(failed_show)
    refuse("NEW.replaces_id IS NOT NULL")
    try_all(work, failed_show, until=counted.newest)
    dead = Job.objects.get(task=again.TASK)
    assert (dead.state, Refund.objects.filter(status="planned").count()) == ("dead", 0)
    refuse("false")
    replay_job(job_id=dead.pk, generation=dead.generation, **WHY)
    while due := hand_out(queue="default", tasks=[again.TASK]):
        work(due[0])
    assert failed(failed_show).count == 0


def test_what_fails_anew_waits_for_another_press(failed_show: Show, work: Work) -> None:
    counted = failed(failed_show)
    try_all(work, failed_show, until=counted.newest)
    for refund in newest(failed_show):
        transitions.mark_failed(refund_id=refund.pk, failure="refused", code="charge_not_refundable")
    assert failed(failed_show).count == counted.count
    with pytest.raises(NothingToTryAgain):
        again.ask_to_try_again(show_id=failed_show.pk, until=counted.newest, **WHY)


def test_the_page_offers_it_with_how_many_and_how_much_and_only_to_who_may_refund(
    staff: Client, client: Client, failed_show: Show, work: Work
) -> None:
    shown, asks = (
        reverse(f"admin:inventory_show_cancellation{name}", args=[failed_show.pk]) for name in ("", "_again")
    )
    counted = failed(failed_show)
    assert asks in staff.get(shown).content.decode()
    page = staff.get(asks).content.decode()
    assert f"Try {counted.count} refunds of {counted.money[0]} again?" in page
    told = staff.post(asks, {"reason": "well again", "until": counted.newest}, follow=True).content.decode()
    assert f"{counted.count} refunds of {counted.money[0]} are being tried again" in told
    job = Job.objects.get(task=again.TASK)
    assert (job.args["by"], job.args["reason"], job.subject) == ("operator", "well again", f"show:{failed_show.pk}")
    work(hand_out(queue="default", tasks=[again.TASK])[0])
    late = staff.post(asks, {"reason": "well again", "until": counted.newest}, follow=True).content.decode()
    assert "No refund of this show is left that failed" in late
    assert asks not in late
    others = staff_with(client, "view_cancellation", "view_show")
    assert others.get(asks).status_code == 403


def test_a_single_one_that_failed_has_its_own_button_alone(
    staff: Client, paid_order: Order, work: Work, send: Callable[..., Job]
) -> None:
    begin_cancelling(paid_order.show)
    run_steps(work)
    transitions.mark_failed(refund_id=Refund.objects.get().pk, failure="refused", code="charge_not_refundable")
    page = staff.get(reverse("admin:inventory_show_cancellation", args=[paid_order.show_id])).content.decode()
    assert "/again/" in page
    assert reverse("admin:inventory_show_cancellation_again", args=[paid_order.show_id]) not in page
