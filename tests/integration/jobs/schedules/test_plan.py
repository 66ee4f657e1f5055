"""When schedules are due next, as staff edit them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.clock import database_now
from jobs.models import Schedule
from jobs.schedules.plan import plan
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db


def periodic_task(**fields: object) -> PeriodicTask:
    interval, _ = IntervalSchedule.objects.get_or_create(every=1, period=IntervalSchedule.HOURS)
    values = {"name": "probe", "task": "probe.leave_a_mark", "kwargs": '{"key": "probe"}', "interval": interval}
    return PeriodicTask.objects.create(**{**values, **fields})


def planned() -> Schedule:
    plan()
    return Schedule.objects.get()


def test_a_schedule_that_staff_made_is_planned_from_now_on() -> None:
    periodic_task()
    schedule = planned()
    assert schedule.next_run_at is not None
    assert timedelta() < schedule.next_run_at - database_now() <= timedelta(hours=1)


def test_a_plan_that_is_due_stays_due_however_long_nobody_looked(clock: Clock) -> None:
    periodic_task()
    before = planned().next_run_at
    clock.advance(timedelta(days=3))
    assert planned().next_run_at == before


def test_a_changed_schedule_is_planned_anew_and_nothing_of_its_past_is_due(clock: Clock) -> None:
    task = periodic_task()
    plan()
    clock.advance(timedelta(days=3))
    task.interval, _ = IntervalSchedule.objects.get_or_create(every=2, period=IntervalSchedule.HOURS)
    task.save()
    next_run_at = planned().next_run_at
    assert next_run_at is not None
    assert next_run_at > database_now()


def test_a_disabled_schedule_has_no_plan_and_starts_afresh_when_it_is_enabled(clock: Clock) -> None:
    task = periodic_task(enabled=False)
    assert planned().next_run_at is None
    clock.advance(timedelta(days=3))
    task.enabled = True
    task.save()
    next_run_at = planned().next_run_at
    assert next_run_at is not None
    assert next_run_at > database_now()


def test_a_clock_that_was_set_back_brings_the_plan_nearer(clock: Clock) -> None:
    now = database_now()  # and five minutes past an hour, so that none ends meanwhile
    clock.advance(timedelta(days=2, hours=1, minutes=5) - (now - now.replace(minute=0, second=0, microsecond=0)))
    periodic_task()
    far = planned().next_run_at
    clock.advance(timedelta(days=-2))
    near = planned().next_run_at
    assert far is not None
    assert near == far - timedelta(days=2)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"task": "probe.no_such_task"}, "no task"),
        ({"kwargs": "{"}, "no JSON"),
        ({"kwargs": "[1]"}, "one JSON object"),
        ({"args": "[1]"}, "one JSON object"),
        ({"priority": 12}, "between 0 and 9"),
        ({"interval": None, "crontab": {"month_of_year": "2", "day_of_month": "30"}}, "never run"),
    ],
)
def test_a_schedule_of_which_no_job_can_be_made_says_why_and_holds_up_no_other(
    fields: dict[str, object], words: str
) -> None:
    if "crontab" in fields:
        fields = {**fields, "crontab": CrontabSchedule.objects.create(**fields["crontab"])}  # type: ignore[dict-item]
    unfit = periodic_task(**fields)
    fit = periodic_task(name="fit")
    plan()
    assert words in Schedule.objects.get(pk=unfit.pk).error
    assert Schedule.objects.get(pk=unfit.pk).next_run_at is None
    assert Schedule.objects.get(pk=fit.pk).next_run_at is not None


def test_an_unfit_schedule_that_was_put_right_is_planned() -> None:
    task = periodic_task(task="probe.no_such_task")
    plan()
    task.task = "probe.leave_a_mark"
    task.save()
    schedule = planned()
    assert schedule.error == ""
    assert schedule.next_run_at is not None


def test_nothing_is_due_from_the_end_on(clock: Clock) -> None:
    task = periodic_task(expires=database_now() + timedelta(minutes=1))
    assert planned().next_run_at is None
    task.expires = database_now() + timedelta(hours=2)
    task.save()
    assert planned().next_run_at is not None


def test_a_schedule_whose_end_has_passed_is_planned_again_after_the_clock_was_set_back(clock: Clock) -> None:
    clock.advance(timedelta(days=2))
    periodic_task(expires=database_now() - timedelta(days=1))
    assert planned().next_run_at is None
    clock.advance(timedelta(days=-2))
    assert planned().next_run_at is not None


def test_a_crontab_is_due_by_the_wall_clock_of_its_zone() -> None:
    """Half past two in Berlin is half past one in winter and half past midnight in summer, UTC."""
    zone = CrontabSchedule.objects.create(minute="30", hour="2", timezone="Europe/Berlin")
    periodic_task(interval=None, crontab=zone)
    next_run_at = planned().next_run_at
    assert next_run_at is not None
    is_winter = datetime(2026, 10, 25, 1, tzinfo=UTC) <= next_run_at < datetime(2027, 3, 28, 1, tzinfo=UTC)
    assert not is_winter or (next_run_at.hour, next_run_at.minute) == (1, 30)
    assert next_run_at.minute == 30


def test_planning_costs_two_queries_where_nothing_changed(django_assert_num_queries: object) -> None:
    for number in range(5):
        periodic_task(name=f"probe{number}")
    plan()
    with django_assert_num_queries(2):  # type: ignore[operator]
        plan()


UNREADABLE = {
    "zone": "UPDATE django_celery_beat_crontabschedule SET timezone = 'Europe/Atlantis'",
    "no zone": "UPDATE django_celery_beat_crontabschedule SET timezone = ''",
    "end": "UPDATE django_celery_beat_periodictask SET expires = 'infinity' WHERE name = 'broken'",
    "arguments": "UPDATE django_celery_beat_periodictask SET kwargs = repeat('[', 100000) WHERE name = 'broken'",
}


@pytest.mark.parametrize("statement", UNREADABLE.values(), ids=UNREADABLE)
def test_a_row_that_nobody_can_read_says_so_and_holds_up_no_other(statement: str) -> None:
    broken = periodic_task(name="broken", interval=None, crontab=CrontabSchedule.objects.create(hour="3"))
    fit = periodic_task(name="fit")
    with connection.cursor() as cursor:
        cursor.execute(statement)
    assert plan()
    assert Schedule.objects.get(pk=broken.pk).error
    assert Schedule.objects.get(pk=broken.pk).next_run_at is None
    assert Schedule.objects.get(pk=fit.pk).next_run_at is not None


def test_a_start_in_the_first_year_there_is_stops_no_beat() -> None:
    """The admin's page takes it for a schedule that is disabled, which its button enables."""
    periodic_task(start_time=datetime(1, 1, 1, tzinfo=UTC))
    assert planned().next_run_at is not None
