"""The page of one schedule: only what means something is typed there, and what would never run is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    PeriodicTasks,
    SolarSchedule,
)

from jobs.clock import database_now
from jobs.models import Schedule, StaffAction
from jobs.schedules.install import fields_now
from jobs.schedules.preview import due_times
from tests.fixtures_schedules import MakeRun, MakeSchedule
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

ADD = "admin:django_celery_beat_periodictask_add"
CHANGE = "admin:django_celery_beat_periodictask_change"
DELETE = "admin:django_celery_beat_periodictask_delete"

TYPED = {
    "name": "tidy",
    "description": "Tidies up.",
    "task": "probe.leave_a_mark",
    "enabled": "on",
    "kwargs": '{"key": "x"}',
    "catch_up": "skip",
    "unit": "seconds",
    "zone": "UTC",
}


def page_of(client: Client, schedule: Schedule) -> str:
    return client.get(reverse(CHANGE, args=[schedule.pk])).content.decode()


def add(client: Client, **typed: Any) -> str:
    return client.post(reverse(ADD), TYPED | typed, follow=True).content.decode()


def change(client: Client, schedule: Schedule, **typed: Any) -> str:
    """Send the form as it was opened, with what is typed over it; None leaves a box unticked."""
    form = client.get(reverse(CHANGE, args=[schedule.pk])).context["adminform"].form
    opened = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data = {name: value for name, value in (opened | typed).items() if value not in (None, False)}
    return client.post(reverse(CHANGE, args=[schedule.pk]), data, follow=True).content.decode()


def saved(name: str = "tidy") -> PeriodicTask:
    return PeriodicTask.objects.select_related("interval", "crontab", "clocked", "ledger").get(name=name)


# What is saved


def test_an_interval_is_saved_with_its_rule_and_beats_are_told(staff: Client) -> None:
    PeriodicTasks.objects.update_or_create(ident=1, defaults={"last_update": datetime(2020, 1, 1, tzinfo=UTC)})
    add(staff, every="90", priority="2")
    task = saved()
    assert (task.interval.every, task.interval.period) == (90, "seconds")
    assert (task.crontab, task.clocked, task.solar) == (None, None, None)
    assert (task.ledger.catch_up, task.priority, json.loads(task.kwargs)) == ("skip", 2, {"key": "x"})
    assert PeriodicTasks.last_change() > datetime(2026, 1, 1, tzinfo=UTC)


def test_a_crontab_is_saved_with_its_zone(staff: Client) -> None:
    add(staff, cron="30 2 * * mon-fri", zone="Europe/Berlin")
    cron = saved().crontab
    assert (cron.minute, cron.hour, cron.day_of_week, str(cron.timezone)) == ("30", "2", "mon-fri", "Europe/Berlin")


def test_one_time_is_saved_as_one_that_runs_once(staff: Client) -> None:
    add(staff, once_at_0="2126-12-01", once_at_1="08:00:00")
    task = saved()
    assert task.clocked.clocked_time == datetime(2126, 12, 1, 8, tzinfo=UTC)
    assert task.one_off


def test_changing_one_schedule_leaves_another_that_shared_its_timing_as_it_was(
    staff: Client, schedules: MakeSchedule
) -> None:
    one, other = schedules("one"), schedules("other")
    PeriodicTask.objects.filter(pk=other.pk).update(interval=one.periodic_task.interval)
    change(staff, one, every="60")
    assert saved("one").interval.every == 60
    assert saved("other").interval.every == 30


def test_an_equal_timing_is_taken_and_not_made_anew(staff: Client) -> None:
    for name in ("one", "two"):
        add(staff, name=name, every="77")
        add(staff, name=f"{name} by the clock", cron="1 2 3 4 5", zone="Asia/Tokyo")
    assert IntervalSchedule.objects.filter(every=77).count() == 1
    assert CrontabSchedule.objects.filter(minute="1").count() == 1


def test_another_way_takes_the_place_of_the_one_before(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules(cron="0 9 * * *")
    change(staff, made, cron="", every="5", unit="minutes", catch_up="all")
    task = saved("sweep")
    assert task.crontab is None
    assert task.interval.every == 5
    assert task.ledger.catch_up == "all"


def test_disabling_on_the_page_takes_the_next_run_away_at_once(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules(next_run_at=database_now())
    change(staff, made, enabled=None)
    made.refresh_from_db()
    assert made.next_run_at is None
    assert not saved("sweep").enabled


def test_saving_what_was_not_changed_changes_nothing_of_its_definition(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules(cron="0 9 * * 1-5", zone="Europe/Berlin", start_time=datetime(2026, 1, 1, 8, tzinfo=UTC))
    before = fields_now(saved("sweep")), saved("sweep").start_time
    change(staff, made, start_time_0="2026-01-01", start_time_1="08:00:00")
    assert (fields_now(saved("sweep")), saved("sweep").start_time) == before


# What is refused


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({}, "Say when it is due: every so often, by the clock, or once."),
        ({"every": "5", "cron": "* * * * *"}, "Say when it is due in one way only"),
        ({"every": "0"}, "greater than or equal to 1"),
        ({"every": "0.5"}, "Enter a whole number."),
        ({"every": "5", "unit": "microseconds"}, "microseconds is not one of the available choices"),
        ({"cron": "0 0 30 2 *"}, "None of its months has a day 30: it would never run."),
        ({"cron": "30 2 *"}, "A crontab has five fields"),
        ({"cron": "61 2 * * *"}, "cannot be read"),
        ({"cron": "*/0 * * * *"}, "cannot be read"),
        ({"cron": "0," * 100 + "0 2 * * *"}, "at most 200 characters"),
        ({"cron": "0 2 * * " + "1," * 40 + "1"}, "This is longer than a crontab can be."),
        ({"cron": "0 2 * * *", "zone": "Mars/Olympus"}, "Mars/Olympus is not one of the available choices"),
        ({"once_at_0": "2020-01-01", "once_at_1": "08:00"}, "That is past: it would never run."),
        ({"once_at_0": "tomorrow", "once_at_1": "08:00"}, "Enter a valid date"),
        ({"every": "5", "expires_0": "2020-01-01", "expires_1": "08:00"}, "nothing is due before this"),
        ({"every": "5", "kwargs": "{'key': 1}"}, "This is no JSON object"),
        ({"every": "5", "kwargs": "[]"}, "This is no JSON object"),
        ({"every": "5", "kwargs": '{"key": NaN}'}, "This is no JSON object"),
        ({"every": "5", "kwargs": '{"key": "\\u0000"}'}, "This is no JSON object"),
        ({"every": "5", "kwargs": '{"key": "\\ud800"}'}, "This is no JSON object"),
        ({"every": "5", "kwargs": "[" * 5000}, "This is no JSON object"),
        ({"every": "5", "kwargs": "{}"}, "The job lacks the argument key."),
        ({"every": "5", "kwargs": '{"key": 1, "colour": 2}'}, "The task does not take the job&#x27;s argument colour."),
        ({"every": "5", "task": "os.system"}, "os.system is not one of the available choices"),
        ({"every": "5", "priority": "10"}, "less than or equal to 9"),
        ({"every": "5", "catch_up": "never"}, "never is not one of the available choices"),
        ({"every": "5", "name": ""}, "This field is required."),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence_and_nothing_is_saved(
    staff: Client, typed: dict[str, str], why: str
) -> None:
    page = add(staff, **typed)
    assert why in page
    assert "errorlist" in page
    assert not PeriodicTask.objects.exists()
    assert not IntervalSchedule.objects.exists()


def test_a_name_that_another_schedule_has_is_refused(staff: Client, schedules: MakeSchedule) -> None:
    schedules("tidy")
    assert "already exists" in add(staff, every="5")


def test_what_was_changed_meanwhile_is_not_written_over(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules()
    seen = staff.get(reverse(CHANGE, args=[made.pk])).context["adminform"].form.initial["seen"]
    change(staff, made, every="45")
    page = change(staff, made, every="99", seen=seen)
    assert "It was changed since you opened this page." in page
    assert saved("sweep").interval.every == 45


def test_one_that_has_run_its_only_time_is_not_enabled_again_by_a_page_that_was_open(
    staff: Client, schedules: MakeSchedule
) -> None:
    made = schedules(one_off=True)
    seen = staff.get(reverse(CHANGE, args=[made.pk])).context["adminform"].form.initial["seen"]
    PeriodicTask.objects.filter(pk=made.pk).update(enabled=False)  # as a beat does behind the library's back
    page = change(staff, made, enabled="on", seen=seen)
    assert "It was changed since you opened this page." in page
    assert not saved("sweep").enabled


def test_a_task_that_no_table_lists_any_more_is_named_and_has_to_be_replaced(
    staff: Client, schedules: MakeSchedule
) -> None:
    made = schedules(task="gone.away", error="There is no task gone.away: choose one of the list.")
    page = page_of(staff, made)
    assert "No job can be made of it:" in page
    assert "There is no task gone.away" in page
    assert "No app here has the task gone.away." in change(staff, made)
    change(staff, made, task="probe.leave_a_mark")
    assert saved("sweep").task == "probe.leave_a_mark"


@pytest.mark.parametrize("broken", ["microseconds", "solar", "nothing"])
def test_a_timing_that_the_ledger_refuses_can_be_looked_at_and_mended(
    staff: Client, schedules: MakeSchedule, broken: str
) -> None:
    made = schedules()
    task = made.periodic_task
    values: dict[str, Any] = {"interval": None}
    if broken == "microseconds":
        values = {"interval": IntervalSchedule.objects.create(every=500, period="microseconds")}
    if broken == "solar":
        values["solar"] = SolarSchedule.objects.create(event="sunset", latitude=52, longitude=13)
    PeriodicTask.objects.filter(pk=task.pk).update(**values)
    assert "Nothing is due any more." in page_of(staff, made)
    change(staff, made, every="30")
    assert (saved("sweep").interval.every, saved("sweep").solar) == (30, None)


# What it tells


def test_it_shows_the_next_due_times_by_both_clocks(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules(cron="30 2 * * *", zone="Asia/Tokyo")
    page = page_of(staff, made)
    due = due_times(saved("sweep"), now=database_now())
    assert len(due) == 5
    for each in due:
        assert f"{each.local:%Y-%m-%d} 02:30:00" in page
        assert f"{each.at:%Y-%m-%d} 17:30:00" in page


def test_it_shows_the_last_twenty_runs_with_their_jobs(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    made, now = schedules(skipped=3), database_now()
    runs = [scheduled_run(made, due_at=now - timedelta(minutes=n), started_at=now) for n in range(22)]
    scheduled_run(schedules("another"), due_at=now, state="dead")
    page = page_of(staff, made)
    assert page.count('<span class="chip done">done</span></a>') == 20
    assert reverse("admin:jobs_job_change", args=[runs[0].job_id]) in page
    assert reverse("admin:jobs_job_change", args=[runs[21].job_id]) not in page
    assert "started 19 min late" in page
    assert "3 due times were left out." in page
    assert "chip dead" not in page


def test_one_that_comes_from_the_file_says_so_keeps_its_name_and_tells_what_staff_changed(
    staff: Client, schedules: MakeSchedule
) -> None:
    made = schedules()
    Schedule.objects.filter(pk=made.pk).update(installed=fields_now(saved("sweep")))
    page = page_of(staff, made)
    assert "It comes from config/schedule.py. What you change here stays: no deploy writes over it." in page
    assert "changed by staff" not in page
    change(staff, made, every="45", catch_up="all", name="renamed")
    page = page_of(staff, made)
    assert saved("sweep").interval.every == 45
    assert "changed by staff</span> when, runs that were missed" in page


def test_one_that_was_made_here_says_so(staff: Client, schedules: MakeSchedule) -> None:
    page = page_of(staff, schedules(enabled=False))
    assert "It was made here, and no deploy touches it." in page
    assert "Nothing while it is disabled." in page
    assert "It has not run yet." in page


def test_what_means_nothing_to_the_ledger_is_not_on_the_page(staff: Client, schedules: MakeSchedule) -> None:
    form = staff.get(reverse(CHANGE, args=[schedules().pk])).context["adminform"].form
    hidden = {"args", "queue", "exchange", "routing_key", "headers", "expire_seconds", "solar"}
    assert not hidden & set(form.fields)


def test_a_page_takes_as_many_queries_however_many_runs_there_are(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun, django_assert_max_num_queries: Any
) -> None:
    made, now = schedules(), database_now()
    for minutes in range(25):
        scheduled_run(made, due_at=now - timedelta(minutes=minutes), started_at=now)
    with django_assert_max_num_queries(10):
        page_of(staff, made)


# Deleting


def test_deleting_one_from_the_file_warns_that_it_comes_back_and_offers_to_disable_it(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    made = schedules(installed={"task": "x"})
    scheduled_run(made, due_at=database_now())
    page = staff.get(reverse(DELETE, args=[made.pk])).content.decode()
    assert "config/schedule.py lists it: beat makes it anew at its next start." in page
    assert reverse("admin:jobs_schedule_verb", args=["disable"]) in page
    assert "Scheduled runs: 1" in page
    staff.post(reverse(DELETE, args=[made.pk]), {"post": "yes"})
    assert not PeriodicTask.objects.exists()


def test_deleting_one_that_was_made_here_goes_without_a_warning(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules()
    assert "config/schedule.py" not in staff.get(reverse(DELETE, args=[made.pk])).content.decode()


# Who may


def test_who_may_only_look_sees_no_field_and_no_secret(client: Client, schedules: MakeSchedule) -> None:
    made = schedules(args={"key": "x", "token": "s3cr3t-s3cr3t"})
    somebody = staff_with(client, "view_periodictask")
    page = page_of(somebody, made)
    assert "every 30 seconds" in page
    assert 'name="every"' not in page
    assert "s3cr3t" not in page
    assert "Run now…" not in page
    assert somebody.post(reverse(CHANGE, args=[made.pk]), TYPED | {"every": "5"}).status_code == 403
    assert somebody.get(reverse(ADD)).status_code == 403


def test_a_job_leads_to_the_page_of_its_schedule_for_who_may_see_it(
    client: Client, schedules: MakeSchedule, scheduled_run: MakeRun, django_user_model: Any
) -> None:
    made = schedules("nightly tidying")
    run = scheduled_run(made, due_at=database_now())
    job = reverse("admin:jobs_job_change", args=[run.job_id])
    address = reverse(CHANGE, args=[made.pk])
    somebody = staff_with(client, "view_job")
    assert address not in somebody.get(job).content.decode()
    somebody.force_login(django_user_model.objects.create_superuser("operator"))
    assert f'<a href="{address}">schedule:nightly tidying</a>' in somebody.get(job).content.decode()


# The tables behind it


def test_an_interval_in_use_names_its_schedules_and_cannot_be_deleted(staff: Client, schedules: MakeSchedule) -> None:
    row = schedules().periodic_task.interval
    page = staff.get(reverse("admin:django_celery_beat_intervalschedule_changelist")).content.decode()
    assert "every 30 seconds" in page
    assert ">sweep</a>" in page
    address = reverse("admin:django_celery_beat_intervalschedule_change", args=[row.pk])
    assert "Changes the schedules that use it:" in staff.get(address).content.decode()
    gone = reverse("admin:django_celery_beat_intervalschedule_delete", args=[row.pk])
    assert staff.post(gone, {"post": "yes"}).status_code == 403


def test_no_table_takes_what_the_ledger_refuses(staff: Client) -> None:
    def post(model: str, **typed: str) -> str:
        address = reverse(f"admin:django_celery_beat_{model}_add")
        return staff.post(address, typed, follow=True).content.decode()

    assert "not one of the available choices" in post("intervalschedule", every="5", period="microseconds")
    never = {"minute": "0", "hour": "0", "day_of_month": "30", "month_of_year": "2", "day_of_week": "*"}
    assert "it would never run" in post("crontabschedule", **never, timezone="UTC")
    assert not IntervalSchedule.objects.exists()
    assert not CrontabSchedule.objects.exists()
    post("clockedschedule", clocked_time_0="2030-01-01", clocked_time_1="10:00")
    assert ClockedSchedule.objects.exists()
    assert not StaffAction.objects.exists()
