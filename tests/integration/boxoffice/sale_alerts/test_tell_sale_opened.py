"""Who asked is told once when a sale opens."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from threading import Thread

import pytest
from django.db import connection, transaction

from boxoffice.models import Order
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.advance_show import advance_show
from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from inventory.tasks import announce_opening
from jobs.clock import database_now
from jobs.models import Job
from jobs.relay.precedence import with_those_before
from notifications import transitions
from notifications.models import Notification
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.processes import wait_for
from tests.sale_alerts import DAY, MANY_ALERTS, ask, open_and_tell, send_all
from tests.waiting_sessions import somebody_waits_for_us

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)


def test_everybody_who_asked_is_planned_one_mail_in_his_language_and_a_job_that_sends_it(
    show_opening_tomorrow: Show, other_show: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    ask(show)
    ask(show, "eva@example.org", "de")
    clock.advance(DAY)
    assert open_and_tell(show) == 2
    planned = Notification.objects.order_by("recipient")
    assert [(each.kind, each.subject, each.recipient, each.language) for each in planned] == [
        ("sale_opened", f"show:{show.pk}", "ada@example.org", "en"),
        ("sale_opened", f"show:{show.pk}", "eva@example.org", "de"),
    ]
    jobs = Job.objects.filter(task="boxoffice.send_bulk", subject=show.subject)
    assert sorted(job.args["notification_id"] for job in jobs) == sorted(each.pk for each in planned)


def test_thousands_of_alerts_do_not_hold_up_the_tickets_of_those_who_buy_meanwhile(
    show_opening_tomorrow: Show, confirmed_order: Order, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    with transaction.atomic():
        plan_tickets_mail(order_id=confirmed_order.pk)
    alert, tickets = Job.objects.filter(destination="mail").order_by("pk")
    assert (alert.subject, tickets.subject) == (show_opening_tomorrow.subject, confirmed_order.subject)
    assert (alert.queue, tickets.queue) == ("bulk", "messages")
    assert with_those_before({alert.queue}) == {alert.queue, tickets.queue}


def test_who_is_told_is_told_once_though_the_jobs_run_again(show_opening_tomorrow: Show, clock: Clock) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    for again in (show.on_sale_at, show.on_sale_at + DAY):
        with transaction.atomic():
            assert tell_sale_opened(show_id=show.pk, opening=again.isoformat()) == 0
    assert open_and_tell(show) == 0
    assert Job.objects.filter(task="boxoffice.send_bulk").count() == 1


@real_commits
def test_two_runs_at_once_tell_each_once(show_opening_tomorrow: Show, clock: Clock) -> None:
    for number in range(20):
        ask(show_opening_tomorrow, f"fan{number}@example.org")
    clock.advance(DAY)

    def tell() -> int:
        with transaction.atomic():
            opening = show_opening_tomorrow.on_sale_at.isoformat()
            return tell_sale_opened(show_id=show_opening_tomorrow.pk, opening=opening)

    assert sorted(all_at_once([tell] * 4, threads=4), key=str) == [0, 0, 0, 20]
    assert Job.objects.filter(task="boxoffice.send_bulk").count() == Notification.objects.count() == 20


@real_commits
def test_who_asks_at_the_last_moment_is_told_though_his_transaction_ends_after_the_opening(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    told: list[int] = []

    def tell() -> None:
        try:
            with transaction.atomic():
                told.append(tell_sale_opened(show_id=show.pk, opening=show.on_sale_at.isoformat()))
        finally:
            connection.close()

    teller = Thread(target=tell)
    with transaction.atomic():
        ask(show)
        # The opening comes while this transaction is open; the clock moves for everybody when it commits.
        clock.advance(DAY)
        teller.start()
        wait_for(somebody_waits_for_us, what="who tells waits for who asks")
    teller.join(30)
    assert told == [1]


def test_a_sale_that_was_closed_again_tells_nobody_until_it_opens(show_opening_tomorrow: Show, clock: Clock) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    announce_opening.body(show_id=show.pk)
    second = database_now() + DAY
    move_sale_opening(show_id=show.pk, on_sale_at=second)
    assert open_and_tell(show) == 0
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    assert datetime.fromisoformat(Notification.objects.get().occurrence) >= second


def test_a_sale_that_opens_a_second_time_tells_only_those_who_asked_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    ask(show)
    ask(show, "eva@example.org")
    clock.advance(DAY)
    assert open_and_tell(show) == 2
    send_all()
    clock.advance(timedelta(seconds=1))
    move_sale_opening(show_id=show.pk, on_sale_at=database_now() + DAY)
    ask(show, "eva@example.org")
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    assert Notification.objects.latest("pk").recipient == "eva@example.org"


def test_twenty_thousand_who_wait_are_planned_in_seconds(show_opening_tomorrow: Show, clock: Clock) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MANY_ALERTS, [show_opening_tomorrow.pk])
    clock.advance(DAY)
    planning = partial(tell_sale_opened, show_id=show_opening_tomorrow.pk, opening="now")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '15s'")
        assert planning() == 20_000


def test_who_asked_while_the_sale_was_closed_by_mistake_is_told_when_it_opens_at_its_old_instant_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    first = show_opening_tomorrow.on_sale_at
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    assert open_and_tell(show_opening_tomorrow) == 1
    send_all()
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=database_now() + DAY)
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "grace@example.org")
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=first)
    assert open_and_tell(show_opening_tomorrow) == 2
    told = Notification.objects.filter(status="queued").values_list("recipient", flat=True)
    assert sorted(told) == ["ada@example.org", "grace@example.org"]
    assert open_and_tell(show_opening_tomorrow) == 0


def test_whose_mail_was_held_back_when_the_show_was_postponed_is_told_when_it_sells_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "grace@example.org")
    clock.advance(DAY)
    assert open_and_tell(show_opening_tomorrow) == 2
    held_back, sent = Notification.objects.order_by("recipient")
    transitions.mark_sent(notification_id=sent.pk)
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.POSTPONED)
    transitions.mark_suppressed(notification_id=held_back.pk, reason="the show is postponed")
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.SCHEDULED)
    assert open_and_tell(show_opening_tomorrow) == 1
    assert Notification.objects.get(status="queued").recipient == "ada@example.org"
