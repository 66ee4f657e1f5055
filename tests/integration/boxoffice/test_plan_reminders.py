"""Reminders: 24 hours before a show, to who bought in time, once, whoever plans and whatever dies meanwhile."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from boxoffice import plan_reminders as service
from boxoffice import tasks
from boxoffice.models import Order, Reminder
from boxoffice.plan_reminders import PRIORITY, orders_to_remind, plan_page, plan_reminders
from inventory.advance_show import advance_show
from inventory.models import Hold, Show, Venue
from jobs import lease, transitions
from jobs.clock import DatabaseNow, database_now
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from notifications.models import Notification
from tests.fixtures_clock import MOVED_CLOCK, Clock
from tests.fixtures_inventory import all_at_once
from tests.fixtures_jobs import broker_url, environment
from tests.processes import Process, wait_for

A_DAY = timedelta(hours=24)
A_SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def show(show_on_sale: Show) -> Show:
    """It begins in 23 hours."""
    move(show_on_sale, timedelta(hours=23))
    return show_on_sale


@pytest.fixture
def make_order(db: None) -> Callable[..., Order]:
    """An order that was confirmed two days ago, unless said otherwise."""
    numbers = count(1)

    def make(show: Show, **given: Any) -> Order:
        now, number = database_now(), next(numbers)
        hold = Hold.objects.create(
            show=show, seat_ids=[number], prices=[0], currency="EUR", status="confirmed", expires_at=now + A_DAY
        )
        values = {
            "code": f"CODE{number}", "token": f"token{number}", "hold": hold, "show": show, "name": "Ada Lovelace",
            "email": f"ada{number}@example.org", "language": "de", "status": "confirmed", "total": 0, "currency": "EUR",
            "confirmed_at": now - 2 * A_DAY, **given,
        }  # fmt: skip
        return Order.objects.create(**values)

    return make


@pytest.fixture
def order(show: Show, make_order: Callable[..., Order]) -> Order:
    return make_order(show)


@pytest.fixture
def orders(transactional_db: None, show: Show, make_order: Callable[..., Order]) -> list[Order]:
    """Ten of them, whose commits other threads see."""
    return [make_order(show) for _ in range(10)]


def move(show: Show, away: timedelta) -> None:
    """Let it begin so long from now."""
    Show.objects.filter(pk=show.pk).update(doors_at=DatabaseNow() - A_DAY, starts_at=DatabaseNow() + away)


def plan() -> int:
    """As often as a test likes: without the lock, which would keep a second run away for some seconds."""
    return sum(plan_page(order_ids=[order_id]) for order_id in orders_to_remind())


def assert_each_reminded_once(orders: list[Order]) -> None:
    about = sorted(order.subject for order in orders)
    assert sorted(Reminder.objects.values_list("order_id", flat=True)) == sorted(order.pk for order in orders)
    assert sorted(Notification.objects.values_list("subject", flat=True)) == about
    assert sorted(Job.objects.filter(task="boxoffice.send_bulk").values_list("subject", flat=True)) == about


# --- who is reminded, and when ----------------------------------------------------------------------------------------


def test_a_reminder_is_a_row_a_queued_mail_and_the_job_that_sends_it(order: Order, transactional_db: None) -> None:
    assert plan_reminders() == 1

    assert Reminder.objects.filter(order=order, show=order.show, planned_at__lte=database_now()).exists()
    mail = Notification.objects.get()
    assert (mail.kind, mail.subject, mail.recipient, mail.language, mail.status) == (
        "reminder",
        order.subject,
        order.email,
        "de",
        "queued",
    )
    job = Job.objects.get()
    assert (job.task, job.queue, job.destination) == ("boxoffice.send_bulk", "bulk", "mail")
    assert (job.state, job.gate) == ("waiting", "ready")


def test_the_job_of_a_reminder_holds_no_personal_data(order: Order) -> None:
    plan()
    job = Job.objects.get()
    assert job.args == {"notification_id": Notification.objects.get().pk}
    assert job.subject == f"order:{order.code}"


def test_tickets_overtake_reminders(order: Order) -> None:
    plan()
    assert Job.objects.get().priority == PRIORITY > 5


@pytest.mark.parametrize(
    ("away", "expected"),
    [(A_DAY + A_SECOND, 0), (A_DAY, 1), (timedelta(hours=1), 1), (A_SECOND, 1), (timedelta(), 0), (-A_SECOND, 0)],
)
def test_it_is_planned_from_24_hours_before_the_show_until_it_begins(
    order: Order, away: timedelta, expected: int
) -> None:
    noon = datetime(2030, 1, 1, 12, tzinfo=UTC)
    Show.objects.update(doors_at=noon - A_DAY, starts_at=noon + away)
    stand_at(noon)
    assert plan() == expected


@pytest.mark.parametrize(
    ("zone", "starts"),
    [
        ("Europe/Berlin", (2027, 3, 28, 19, 30)),  # the day has 23 hours
        ("Europe/Berlin", (2026, 10, 25, 19, 30)),  # the day has 25 hours
        ("America/New_York", (2027, 3, 14, 0, 30)),  # the hour before midnight of the day before
        ("Europe/Berlin", (2026, 12, 12, 19, 30)),
    ],
)
@pytest.mark.parametrize("session_zone", ["UTC", "Europe/Berlin"])
def test_24_hours_pass_also_over_the_change_of_the_clocks(
    order: Order, zone: str, starts: tuple[int, ...], session_zone: str
) -> None:
    begins = datetime(*starts, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[arg-type,misc]
    Venue.objects.update(time_zone=zone)
    Show.objects.update(on_sale_at=begins - 9 * A_DAY, doors_at=begins, starts_at=begins)
    Order.objects.update(confirmed_at=begins - 2 * A_DAY)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL TIME ZONE '{session_zone}'")
    stand_at(begins - A_DAY - A_SECOND)
    assert plan() == 0
    stand_at(begins - A_DAY)
    assert plan() == 1


@pytest.mark.parametrize(("before", "expected"), [(A_DAY + A_SECOND, 1), (A_DAY, 0), (timedelta(hours=20), 0)])
def test_who_bought_within_the_last_24_hours_before_the_show_gets_none(
    order: Order, before: timedelta, expected: int
) -> None:
    starts = Show.objects.values_list("starts_at", flat=True).get()
    Order.objects.update(confirmed_at=starts - before)
    assert plan() == expected


@pytest.mark.parametrize("status", ["cancelled", "postponed", "over", "draft"])
def test_a_show_that_is_not_to_take_place_gets_none(order: Order, status: str) -> None:
    Show.objects.update(status=status)
    assert plan() == 0


@pytest.mark.parametrize(
    ("status", "expected"),
    [("confirmed", 1), ("partly_refunded", 1), ("refunded", 0), ("cancelled", 0), ("expired", 0)],
)
def test_only_orders_with_tickets_are_reminded(order: Order, status: str, expected: int) -> None:
    Order.objects.update(status=status, confirmed_at=None if status == "expired" else order.confirmed_at)
    assert plan() == expected


def test_an_order_that_is_refunded_while_others_are_planned_is_left_out(
    show: Show, make_order: Callable[..., Order]
) -> None:
    kept, refunded = make_order(show), make_order(show)
    due = orders_to_remind()
    assert due == [kept.pk, refunded.pk]
    Order.objects.filter(pk=refunded.pk).update(status="refunded")
    assert plan_page(order_ids=due) == 1
    assert_each_reminded_once([kept])


def test_two_orders_of_one_fan_are_two_reminders(show: Show, make_order: Callable[..., Order]) -> None:
    for _ in range(2):
        make_order(show, email="ada@example.org")
    assert plan() == 2


def test_the_next_show_comes_first(show: Show, other_show: Show, make_order: Callable[..., Order]) -> None:
    later, sooner = make_order(show), make_order(other_show)
    move(other_show, timedelta(hours=2))
    assert orders_to_remind() == [sooner.pk, later.pk]


# --- once -------------------------------------------------------------------------------------------------------------


def test_planning_again_plans_nothing(order: Order) -> None:
    assert [plan(), plan(), plan_page(order_ids=[order.pk])] == [1, 0, 0]
    assert_each_reminded_once([order])


def test_a_show_that_is_moved_after_the_reminder_is_not_reminded_of_again(order: Order, clock: Clock) -> None:
    assert plan() == 1
    advance_show(show_id=order.show_id, to=Show.Status.POSTPONED)
    move(order.show, 10 * A_DAY)
    advance_show(show_id=order.show_id, to=Show.Status.SCHEDULED)
    clock.advance(9 * A_DAY)
    assert plan() == 0
    assert_each_reminded_once([order])


def test_a_show_that_is_moved_before_the_reminder_is_reminded_of_on_its_new_day(order: Order, clock: Clock) -> None:
    move(order.show, 3 * A_DAY)
    assert plan() == 0
    clock.advance(2 * A_DAY)
    assert plan() == 1


def test_who_was_planned_to_be_told_is_remembered_though_his_mail_was_deleted(order: Order) -> None:
    plan()
    Notification.objects.all().delete()
    assert plan() == 0


def test_two_planners_at_once_remind_each_once_and_neither_fails(orders: list[Order]) -> None:
    pages = [[order.pk for order in orders[start : start + 6]] for start in (0, 2, 4)]
    calls = [lambda page=page: plan_page(order_ids=page) for page in [*pages, *map(list, map(reversed, pages))] * 3]
    planned = all_at_once(calls, threads=6)
    assert not [outcome for outcome in planned if isinstance(outcome, Exception)]
    assert sum(planned) == len(orders)
    assert_each_reminded_once(orders)


def test_a_planner_that_finds_another_at_it_does_nothing_and_says_so(orders: list[Order]) -> None:
    held = lease.take(name=service.LOCK, seconds=60)
    assert held is not None
    assert plan_reminders() is None
    assert "Another process is at it" in command()
    tasks.remind.body()
    assert not Reminder.objects.exists()
    held.release()
    assert plan_reminders() == len(orders)


def test_the_schedule_and_a_cluster_that_call_for_the_same_run_start_one(orders: list[Order]) -> None:
    assert plan_reminders() == len(orders)
    assert plan_reminders() is None


@pytest.fixture
def killed_after_two_pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process ends before its third page."""
    really_plan, pages = service.plan_page, count(1)

    def plan_or_end(**given: Any) -> int:
        if next(pages) > 2:
            raise KeyboardInterrupt
        return really_plan(**given)

    monkeypatch.setattr(service, "plan_page", plan_or_end)
    yield
    monkeypatch.undo()


def test_a_planner_killed_between_pages_leaves_the_rest_to_the_next_and_nothing_twice(
    orders: list[Order], killed_after_two_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        plan_reminders(page_size=3)
    assert Reminder.objects.count() == Job.objects.count() == 6
    monkeypatch.undo()
    assert sorted(orders_to_remind()) == sorted(order.pk for order in orders[6:])
    assert plan() == 4
    assert_each_reminded_once(orders)


def a_session_waits() -> bool:
    """Somebody waits for a transaction of this database to end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


def test_a_planner_killed_in_the_middle_of_a_page_has_not_begun_it(orders: list[Order]) -> None:
    command = [sys.executable, "manage.py", "plan_reminders", "--page-size", "2"]
    planner = Process("planner", command, environment(broker_url("redis")), ready="-")
    try:
        with transaction.atomic():
            # The second one of the third page: the planner waits for the end of this transaction.
            Reminder.objects.create(order=orders[5], show=orders[5].show)
            wait_for(lambda: Job.objects.count() == 4 and a_session_waits(), seconds=60, what="two pages are planned")
            planner.kill()
            transaction.set_rollback(True)
    finally:
        planner.kill()
    assert plan() == 6
    assert_each_reminded_once(orders)


def test_a_planner_that_lost_its_lock_leaves_the_rest_to_him_who_has_it(
    orders: list[Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    really_plan = service.plan_page

    def plan_and_be_paused(**given: Any) -> int:
        planned = really_plan(**given)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE jobs_lease SET until = jobs_now(), taken_at = jobs_now() - interval '1 hour'")
        assert lease.take(name=service.LOCK, seconds=60) is not None
        return planned

    monkeypatch.setattr(service, "plan_page", plan_and_be_paused)
    assert plan_reminders(page_size=4) == 4
    assert plan() == 6
    assert_each_reminded_once(orders)


# --- the ways in ------------------------------------------------------------------------------------------------------


def command(*arguments: str) -> str:
    """What the command says."""
    out = StringIO()
    call_command("plan_reminders", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_plans_what_is_due_and_says_how_much(orders: list[Order]) -> None:
    assert command("--page-size", "3") == "Reminders planned: 10\n"
    assert_each_reminded_once(orders)


def test_the_command_says_that_the_database_failed_and_that_nothing_is_lost(
    orders: list[Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> list[int]:
        raise OperationalError

    monkeypatch.setattr(service, "orders_to_remind", fail)
    with pytest.raises(CommandError, match=r"OperationalError.*goes on with the rest"):
        command()


def test_the_scheduled_job_plans_them_and_one_for_the_same_time_plans_nothing(
    orders: list[Order], work: Callable[[int], Outcome]
) -> None:
    with transaction.atomic():
        jobs = [enqueue(task="boxoffice.plan_reminders", args={}) for _ in range(2)]
    engine_session("default")
    transitions.mark_due(using="default", queue="default", window=1000, batch=1000)
    assert [work(job_id) for job_id in jobs] == [Outcome.SETTLED, Outcome.SETTLED]
    assert {*Job.objects.filter(pk__in=jobs).values_list("state", flat=True)} == {"done"}
    assert_each_reminded_once(orders)


def test_a_page_is_two_looks_and_one_statement_in_one_transaction(orders: list[Order]) -> None:
    with CaptureQueriesContext(connection) as queries:
        plan_page(order_ids=[order.pk for order in orders])
    assert [re.split(r"\s+", query["sql"].strip())[0] for query in queries] == [
        "BEGIN", "SELECT", "SELECT", "WITH", "COMMIT",
    ]  # fmt: skip


def stand_at(instant: datetime) -> None:
    """Stop the database's clock there, for this test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(re.sub(r"SELECT .* \$\$", f"SELECT '{instant.isoformat()}'::timestamptz $$", MOVED_CLOCK))
