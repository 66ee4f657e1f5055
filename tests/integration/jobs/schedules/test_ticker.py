"""One beat's loop: who ticks, who stands by, and what a tick does. Real processes are in ``live/``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from jobs.clock import database_now
from jobs.models import Heartbeat, Job, Lease, Schedule
from jobs.periodic import Periodic
from jobs.schedules import ticker as beats
from jobs.schedules.ticker import STANDBY_SECONDS, TERM_SECONDS, TICK_SECONDS, Ticker
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db(transaction=True)

EVERY_HOUR = Periodic("hourly", task="probe.leave_a_mark", why="A test.", every=timedelta(hours=1), args={"key": "x"})


@pytest.fixture(autouse=True)
def _table(settings: Any) -> None:
    settings.LEDGER_SCHEDULE = (EVERY_HOUR,)


@pytest.fixture
def new_ticker() -> Iterator[Callable[[], Ticker]]:
    started: list[Ticker] = []

    def start() -> Ticker:
        started.append(Ticker())
        return started[-1]

    yield start
    for ticker in started:
        ticker.close()


def test_the_first_tick_installs_the_table_and_plans_it(new_ticker: Callable[[], Ticker]) -> None:
    assert 0 < new_ticker().tick() <= TICK_SECONDS
    assert Schedule.objects.get().next_run_at is not None
    assert Lease.objects.get().name == "beat"


def test_what_is_due_is_enqueued_by_the_next_tick(new_ticker: Callable[[], Ticker], clock: Clock) -> None:
    ticker = new_ticker()
    ticker.tick()
    clock.advance(timedelta(hours=1))
    Lease.objects.update(until=Lease.objects.get().until + timedelta(hours=1))
    ticker.tick()
    assert Job.objects.get().subject == "schedule:hourly"


def test_a_second_beat_stands_by_and_takes_over_at_its_next_look_when_the_first_one_leaves(
    new_ticker: Callable[[], Ticker],
) -> None:
    first, second = new_ticker(), new_ticker()
    first.tick()
    assert second.tick() == STANDBY_SECONDS
    first.close()
    assert second.tick() <= TICK_SECONDS
    assert Lease.objects.get().token == 2


def test_a_beat_that_was_away_too_long_steps_down_and_may_come_back(
    new_ticker: Callable[[], Ticker], clock: Clock
) -> None:
    first, second = new_ticker(), new_ticker()
    first.tick()
    clock.advance(timedelta(seconds=TERM_SECONDS + 1))
    second.tick()
    first._renew_at = 0.0
    assert first.tick() == 0.0
    assert first.tick() == STANDBY_SECONDS
    second.close()
    first.tick()
    assert Lease.objects.get().token == 3


def test_a_schedule_that_staff_changed_is_planned_by_the_next_tick(new_ticker: Callable[[], Ticker]) -> None:
    ticker = new_ticker()
    ticker.tick()
    task = PeriodicTask.objects.get()
    task.enabled = False
    task.save()
    ticker.tick()
    assert Schedule.objects.get().next_run_at is None


def test_a_schedule_that_the_database_refuses_holds_up_no_other(
    new_ticker: Callable[[], Ticker], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fault is met at each look for a while, and a beat that looked again at once would use up a core."""
    ticker = new_ticker()
    ticker.tick()
    interval = IntervalSchedule.objects.create(every=1, period=IntervalSchedule.HOURS)
    PeriodicTask.objects.create(
        name="refused", task="probe.leave_a_mark", kwargs='{"key": "refused"}', interval=interval
    )
    ticker.tick()
    fire = beats.fire

    def refuse_one(**values: Any) -> list[int]:
        if PeriodicTask.objects.get(pk=values["schedule_id"]).name == "refused":
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        return fire(**values)

    monkeypatch.setattr(beats, "fire", refuse_one)
    clock.advance(timedelta(hours=1))
    Lease.objects.update(until=Lease.objects.get().until + timedelta(hours=1))
    assert ticker.tick() == TICK_SECONDS
    assert [job.subject for job in Job.objects.all()] == ["schedule:hourly"]


def test_a_plan_that_cannot_be_stored_while_somebody_holds_its_row_holds_up_no_other_schedule(
    new_ticker: Callable[[], Ticker], clock: Clock
) -> None:
    ticker = new_ticker()
    ticker.tick()
    interval = IntervalSchedule.objects.create(every=1, period=IntervalSchedule.HOURS)
    held = PeriodicTask.objects.create(name="held", task="probe.leave_a_mark", interval=interval)
    ticker.tick()
    editor = connection.copy()
    try:
        with editor.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT FROM jobs_schedule FOR UPDATE")
        held.expires = database_now()
        held.save()
        clock.advance(timedelta(seconds=1))
        started = time.monotonic()
        assert ticker.tick() == TICK_SECONDS
        assert time.monotonic() - started < 1, "it waited for the row"
    finally:
        editor.close()
    assert Schedule.objects.get(pk=held.pk).next_run_at is not None
    ticker._plan_at = 0.0
    ticker.tick()
    assert Schedule.objects.get(pk=held.pk).next_run_at is None


def test_a_row_of_the_table_that_somebody_holds_takes_over_the_new_table_when_it_is_free(
    new_ticker: Callable[[], Ticker], settings: Any
) -> None:
    new_ticker().tick()
    settings.LEDGER_SCHEDULE = (replace(EVERY_HOUR, why="Another table."),)
    Lease.objects.update(until=database_now())
    ticker, editor = new_ticker(), connection.copy()
    try:
        with editor.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT FROM django_celery_beat_periodictask FOR UPDATE")
        started = time.monotonic()
        assert 0 < ticker.tick() <= TICK_SECONDS
        assert time.monotonic() - started < 1, "it waited for the row"
        assert PeriodicTask.objects.get().description == "A test."
    finally:
        editor.close()
    ticker.tick()
    assert PeriodicTask.objects.get().description == "Another table."


def test_a_tick_without_the_database_waits_and_the_next_one_goes_on(new_ticker: Callable[[], Ticker]) -> None:
    ticker = new_ticker()
    ticker.tick()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    killer = connection.copy()
    with killer.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    killer.close()
    ticker.tick()
    assert 0 < ticker.tick() <= TICK_SECONDS
    assert Lease.objects.get().token == 1


def test_a_beat_that_ends_in_good_order_leaves_no_sign(new_ticker: Callable[[], Ticker]) -> None:
    ticker = new_ticker()
    ticker.tick()
    assert Heartbeat.objects.get().kind == "beat"
    ticker.close()
    assert not Heartbeat.objects.exists()


def test_a_tick_with_nothing_due_costs_one_query(
    new_ticker: Callable[[], Ticker], monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    ticker = new_ticker()
    ticker.tick()
    ticker.tick()  # looks at what the first one has written
    asked: list[str] = []
    run = beats.run
    monkeypatch.setattr(
        beats, "run", lambda using, statement, values: asked.append(statement) or run(using, statement, values)
    )
    with django_assert_num_queries(0):
        ticker.tick()
    assert len(asked) == 1
