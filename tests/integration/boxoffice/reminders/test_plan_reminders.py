"""Reminders are planned once, whoever plans and whatever dies meanwhile."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import count
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from boxoffice import plan_reminders as service
from boxoffice import tasks
from boxoffice.models import Order, Reminder
from boxoffice.plan_reminders import orders_to_remind, plan_page, plan_reminders
from inventory.advance_show import advance_show
from inventory.models import Show
from jobs import lease, transitions
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from notifications.models import Notification
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.fixtures_jobs import broker_url, environment
from tests.processes import Process, wait_for
from tests.reminders import A_DAY, assert_each_reminded_once, move, plan

pytestmark = pytest.mark.django_db


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
