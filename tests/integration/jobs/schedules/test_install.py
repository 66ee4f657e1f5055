"""The table of periodic jobs becomes rows; what staff changed in the admin survives every deploy."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from jobs.models import Schedule
from jobs.periodic import Periodic
from jobs.schedules.install import install_schedule

pytestmark = pytest.mark.django_db

SWEEP = Periodic("sweep", task="probe.leave_a_mark", why="Because.", every=timedelta(seconds=30), args={"key": "sweep"})
NIGHTLY = Periodic("nightly", task="probe.leave_a_mark", why="At night.", cron="30 2 * * *", zone="Europe/Berlin")

Deploy = Callable[..., None]


@pytest.fixture
def deploy(settings: Any) -> Deploy:
    """A beat starts with this table."""

    def start(*table: Periodic) -> None:
        settings.LEDGER_SCHEDULE = table
        install_schedule()

    return start


def row(name: str) -> PeriodicTask:
    return PeriodicTask.objects.select_related("interval", "crontab", "ledger").get(name=name)


def test_what_is_missing_is_created(deploy: Deploy) -> None:
    deploy(SWEEP, NIGHTLY)
    sweep, nightly = row("sweep"), row("nightly")
    assert (sweep.task, json.loads(sweep.kwargs), sweep.description) == (
        "probe.leave_a_mark",
        {"key": "sweep"},
        "Because.",
    )
    assert str(sweep.interval) == "every 30 seconds"
    assert (nightly.crontab.hour, nightly.crontab.minute, str(nightly.crontab.timezone)) == ("2", "30", "Europe/Berlin")
    assert sweep.enabled
    assert sweep.ledger.catch_up == "once"


def test_the_second_start_changes_nothing(deploy: Deploy, django_assert_num_queries: Any) -> None:
    deploy(SWEEP, NIGHTLY)
    with django_assert_num_queries(1):
        deploy(SWEEP, NIGHTLY)


def test_a_new_value_of_the_table_is_taken_over(deploy: Deploy) -> None:
    deploy(SWEEP)
    deploy(replace(SWEEP, every=timedelta(minutes=1), why="Better.", catch_up="skip", priority=3))
    sweep = row("sweep")
    assert str(sweep.interval) == "every 60 seconds"
    assert (sweep.description, sweep.ledger.catch_up, sweep.priority) == ("Better.", "skip", 3)


def test_what_staff_changed_is_left_and_the_other_fields_follow_the_table(deploy: Deploy) -> None:
    deploy(SWEEP)
    sweep = row("sweep")
    sweep.interval = IntervalSchedule.objects.create(every=5, period=IntervalSchedule.MINUTES)
    sweep.enabled = False
    sweep.save()
    deploy(replace(SWEEP, every=timedelta(minutes=1), why="Better."))
    sweep = row("sweep")
    assert str(sweep.interval) == "every 5 minutes"
    assert not sweep.enabled
    assert sweep.description == "Better."


def test_an_interval_that_is_longer_than_time_itself_stops_no_beat(deploy: Deploy) -> None:
    deploy(SWEEP)
    IntervalSchedule.objects.update(every=2147483647, period=IntervalSchedule.DAYS)
    deploy(replace(SWEEP, why="Better."))
    assert row("sweep").interval.every == 2147483647
    assert row("sweep").description == "Better."


def test_an_edited_crontab_row_counts_as_staffs_change(deploy: Deploy) -> None:
    deploy(NIGHTLY)
    CrontabSchedule.objects.update(hour="4")
    deploy(replace(NIGHTLY, cron="15 3 * * *"))
    assert row("nightly").crontab.hour == "4"


def test_what_the_table_lists_no_more_is_disabled_and_enabled_when_it_is_listed_again(deploy: Deploy) -> None:
    deploy(SWEEP)
    deploy()
    assert not row("sweep").enabled
    deploy(SWEEP)
    assert row("sweep").enabled


def test_what_staff_disabled_stays_disabled_though_the_table_left_it_out_for_a_while(deploy: Deploy) -> None:
    deploy(SWEEP)
    PeriodicTask.objects.update(enabled=False)
    deploy(SWEEP)
    assert not row("sweep").enabled


def test_a_schedule_that_staff_made_is_none_of_the_tables_business(deploy: Deploy) -> None:
    interval = IntervalSchedule.objects.create(every=7, period=IntervalSchedule.DAYS)
    PeriodicTask.objects.create(name="sweep", task="probe.fail", interval=interval)
    PeriodicTask.objects.create(name="own", task="probe.fail", interval=interval)
    deploy(SWEEP)
    assert row("sweep").task == "probe.fail"
    assert row("own").enabled


def test_a_schedule_that_was_deleted_comes_back_with_the_next_start(deploy: Deploy) -> None:
    deploy(SWEEP)
    row("sweep").delete()
    assert not Schedule.objects.exists()
    deploy(SWEEP)
    assert row("sweep").enabled


def test_a_row_of_the_table_that_nobody_can_read_is_not_made_again(deploy: Deploy) -> None:
    deploy(SWEEP, NIGHTLY)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_celery_beat_crontabschedule SET timezone = 'Europe/Atlantis'")
    deploy(replace(SWEEP, why="Still."), NIGHTLY)
    assert row("sweep").description == "Still."
    assert PeriodicTask.objects.count() == 2


def test_a_row_that_the_library_refuses_to_save_is_left_and_the_others_follow_the_table(deploy: Deploy) -> None:
    deploy(NIGHTLY, SWEEP)
    PeriodicTask.objects.filter(name="nightly").update(interval=row("sweep").interval)  # two timings
    deploy(replace(NIGHTLY, why="Now."), replace(SWEEP, why="Now."))
    assert (row("nightly").description, row("sweep").description) == ("At night.", "Now.")
    PeriodicTask.objects.filter(name="nightly").update(interval=None)
    deploy(replace(NIGHTLY, why="Now."), replace(SWEEP, why="Now."))
    assert row("nightly").description == "Now."
