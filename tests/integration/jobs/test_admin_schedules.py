"""The list of schedules: what is late or broken comes first, and every row says what became of its last run."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import PeriodicTask

from jobs.clock import database_now
from jobs.history.partitions import make_partition, month_of
from jobs.models import Job, JobHistory
from tests.fixtures_boxoffice import statements
from tests.fixtures_schedules import MakeRun, MakeSchedule
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

LIST = "admin:django_celery_beat_periodictask_changelist"


def list_of(client: Client, **query: str) -> str:
    return client.get(reverse(LIST), query).content.decode()


def names_in(page: str) -> list[str]:
    return re.findall(r'<a class="name" href="[^"]*">([^<]*)</a>', page)


def test_an_empty_list_says_what_will_appear_there(staff: Client) -> None:
    page = list_of(staff)
    assert "No schedules yet." in page
    assert "config/schedule.py" in page


def test_a_row_says_what_it_is_for_when_it_runs_and_what_became_of_the_last_run(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    now = database_now()
    due = now - timedelta(minutes=9)
    night = schedules(
        "nightly",
        cron="30 2 * * *",
        zone="Europe/Berlin",
        description="Removes what nobody needs.",
        next_run_at=now + timedelta(hours=5, minutes=1),
        catch_up="all",
    )
    run = scheduled_run(night, due_at=due, started_at=due + timedelta(seconds=2))

    page = list_of(staff)

    for words in (
        "Removes what nobody needs.",
        "daily at 02:30, Berlin time",
        "what was missed is all made up for",
        "in 5 h</time>",
        "9 min ago</time>",
        f"{due:%Y-%m-%d %H:%M:%S} UTC",
        f'<a href="{reverse("admin:jobs_job_change", args=[run.job_id])}"><span class="chip done">done</span></a>',
    ):
        assert words in page, words
    assert 'class="late"' not in page


def test_what_is_broken_or_late_comes_first_and_what_is_disabled_last(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    now = database_now()
    soon = now + timedelta(minutes=1)
    schedules("off", enabled=False)
    schedules("fine", next_run_at=soon)
    slow = schedules("slow", next_run_at=soon)
    scheduled_run(slow, due_at=now - timedelta(minutes=5), started_at=now - timedelta(minutes=2))
    stuck = schedules("stuck", next_run_at=soon)
    scheduled_run(stuck, due_at=now - timedelta(minutes=4), state="waiting")
    dead = schedules("failing", next_run_at=soon)
    scheduled_run(dead, due_at=now - timedelta(seconds=5), state="dead", attempts=1)
    schedules("overdue", next_run_at=now - timedelta(minutes=3))
    schedules("broken", error="There is no task gone: choose one of the list.")

    page = list_of(staff)

    assert names_in(page) == ["broken", "overdue", "failing", "slow", "stuck", "fine", "off"]
    for words in (
        "cannot be enqueued</span> There is no task gone: choose one of the list.",
        "late</span> nobody has enqueued it",
        "dead</span>",
        "started 3 min late",
        "not started for 4 min",
        "disabled</span>",
    ):
        assert words in page, words


def test_a_job_that_has_left_the_ledger_is_still_the_outcome_of_its_run(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    due = database_now() - timedelta(days=3)
    known, forgotten = schedules("weekly", every=604800), schedules("old")
    run = scheduled_run(known, due_at=due, started_at=due)
    gone = scheduled_run(forgotten, due_at=due)
    job = Job.objects.get(pk=run.job_id)
    make_partition(month=month_of(due))
    Job.objects.filter(pk__in=[run.job_id, gone.job_id]).delete()
    JobHistory.objects.create(
        id=job.pk, task=job.task, queue=job.queue, created_at=due, started_at=due, finished_at=due, state="done"
    )

    page = list_of(staff)

    assert f'{run.job_id}/change/"><span class="chip done">done</span></a>' in page
    assert '<span class="chip plain">removed</span>' in page
    assert f"{gone.job_id}/change/" not in page


def test_how_late_a_job_first_started_is_not_guessed_once_it_was_tried_again(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    now = database_now()
    run = schedules("patient", next_run_at=now + timedelta(minutes=1))
    scheduled_run(run, due_at=now - timedelta(minutes=9), started_at=now, attempts=3, state="waiting")
    page = list_of(staff)
    assert "will be tried again</span>" in page
    assert 'class="late"' not in page


def test_the_list_takes_as_many_queries_however_many_schedules_and_runs_there_are(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    counts, now = [], database_now()
    for turn in range(2):
        for number in range(10):
            made = schedules(f"s{turn}-{number}", cron="30 2 * * *" if number % 2 else "", next_run_at=now)
            for minutes in range(5):
                scheduled_run(made, due_at=now - timedelta(minutes=minutes), started_at=now)
        with statements() as queries:
            list_of(staff)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 10  # session, login, its time, what needs attention and the page


def test_a_schedule_is_found_by_its_name_or_its_task(staff: Client, schedules: MakeSchedule) -> None:
    schedules("one")
    schedules("two", task="probe.fail", args={"key": "x", "how": "transient"})
    assert names_in(list_of(staff, q="fail")) == ["two"]
    assert "No schedule matches." in list_of(staff, q="nothing")


@pytest.mark.parametrize("number", ["abc", "\x00", "1e3", "9" * 30, "-1"])
def test_what_is_no_number_is_not_taken_for_a_ticked_schedule(
    staff: Client, schedules: MakeSchedule, number: str
) -> None:
    schedules()
    for action in ("run_selected_now", "enable_selected", "disable_selected", "delete_selected"):
        assert staff.post(reverse(LIST), {"action": action, "_selected_action": number}).status_code in (200, 302)
    assert staff.get(f"/admin/django_celery_beat/periodictask/{number}/change/").status_code in (302, 404)
    assert staff.get(reverse(LIST), {"task__contains": number, "x": number}).status_code in (302, 400)
    assert PeriodicTask.objects.count() == 1


def test_names_and_errors_from_outside_stay_text_and_nothing_runs(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    markup = '"><script>alert(1)</script>'
    made = schedules(markup, description=markup, error=markup)
    scheduled_run(made, due_at=database_now(), state="dead", reason=markup)
    page = (
        list_of(staff)
        + staff.get(reverse("admin:django_celery_beat_periodictask_change", args=[made.pk])).content.decode()
    )
    assert "<script>alert" not in page
    assert " style=" not in page


def test_everything_is_said_in_german_to_who_reads_german(
    staff: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    now = database_now()
    why = "Plans the mail that reminds of a show, 24 hours before it begins."
    made = schedules(cron="0 9 * * 1-5", zone="Europe/Berlin", next_run_at=now - timedelta(minutes=3), description=why)
    scheduled_run(made, due_at=now - timedelta(minutes=9), started_at=now - timedelta(minutes=4))
    schedules("kaputt", task="gone.away", error="There is no task gone.away: choose one of the list.")
    page = staff.get(reverse(LIST), headers={"Accept-Language": "de"}).content.decode()
    for words in (
        "Montag bis Freitag um 09:00, Ortszeit Berlin",
        "5 min zu spät begonnen",
        "Plant die Mail, die an eine Vorstellung erinnert, 24 Stunden vor ihrem Beginn.",
        "zu spät</span> niemand hat ihn eingereiht",
        "kann nicht eingereiht werden</span> Eine Aufgabe gone.away gibt es nicht",
    ):
        assert words in page, words


# Who may


def test_who_may_look_sees_the_list_without_what_he_may_not_do(
    client: Client, schedules: MakeSchedule, scheduled_run: MakeRun
) -> None:
    made = schedules()
    scheduled_run(made, due_at=database_now())
    page = list_of(staff_with(client, "view_periodictask"))
    assert names_in(page) == ["sweep"]
    assert "/admin/jobs/job/" not in page
    for button in ("Run now…", "Disable…", "Enable…", "periodictask/add/"):
        assert button not in page


def test_who_may_do_nothing_with_schedules_sees_none(client: Client) -> None:
    assert staff_with(client, "view_job").get(reverse(LIST)).status_code == 403


@pytest.mark.parametrize(("every", "period"), [(2**31 - 1, "days"), (1, "fortnight")])
def test_an_interval_that_nobody_can_keep_breaks_no_page(
    staff: Client, schedules: MakeSchedule, every: int, period: str
) -> None:
    schedule = schedules()
    interval = schedule.periodic_task.interval
    type(interval).objects.filter(pk=interval.pk).update(every=every, period=period)
    for page in (
        reverse("admin:django_celery_beat_periodictask_changelist"),
        reverse("admin:django_celery_beat_periodictask_change", args=[schedule.pk]),
        reverse("admin:django_celery_beat_intervalschedule_changelist"),
        reverse("admin:django_celery_beat_intervalschedule_change", args=[interval.pk]),
    ):
        assert f"No interval is {every} {period} long." in staff.get(page).content.decode()


def test_a_schedule_of_a_zone_that_nobody_knows_hides_no_other_and_is_named(
    staff: Client, schedules: MakeSchedule
) -> None:
    schedules("readable", cron="30 2 * * *")
    schedules("of another world", cron="45 2 * * *", zone="Europe/Berlin")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_celery_beat_crontabschedule SET timezone = 'Europe/Atlantis' WHERE minute = '45'")

    page = list_of(staff)

    assert names_in(page) == ["readable"]
    assert "“of another world” is not in this list, since it cannot be read: " in page
    assert "Europe/Atlantis" in page
