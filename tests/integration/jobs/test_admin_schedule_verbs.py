"""Enabling, disabling and running schedules in the admin: asked once, done once, told, and only to who may."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import PeriodicTask

from jobs.models import Job, Schedule, ScheduledRun, StaffAction
from tests.fixtures_schedules import MakeSchedule
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

LIST = "admin:django_celery_beat_periodictask_changelist"
PAGE = "admin:django_celery_beat_periodictask_change"


def address(verb: str) -> str:
    return reverse("admin:jobs_schedule_verb", args=[verb])


def ask(client: Client, verb: str, *schedules: Schedule, back: str = "") -> Any:
    return client.get(address(verb), {"schedules": ",".join(str(each.pk) for each in schedules), "back": back})


def press(client: Client, verb: str, *schedules: Schedule, **typed: Any) -> str:
    """Open the page that asks, and send its form."""
    asked = ask(client, verb, *schedules, back=typed.pop("back", ""))
    data = {name: asked.context[name] for name in ("press", "back")} | {"schedules": asked.context["ids"]}
    return client.post(address(verb), {**data, "reason": "the printer burns", **typed}, follow=True).content.decode()


def enabled(schedule: Schedule) -> bool:
    return PeriodicTask.objects.values_list("enabled", flat=True).get(pk=schedule.pk)


def test_running_now_asks_with_what_will_happen_and_links_to_the_job(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules("tidy", description="Tidies up.")
    asked = ask(staff, "run-now", made).content.decode()
    for words in ("Run “tidy” now?", "Tidies up.", "every 30 seconds", "One more job is made, due at once"):
        assert words in asked, words
    assert not Job.objects.exists()

    said = press(staff, "run-now", made)
    job = Job.objects.get()
    assert "“tidy” runs now." in said
    assert reverse("admin:jobs_job_change", args=[job.pk]) in said
    assert StaffAction.objects.get().by == "operator"


def test_a_double_click_runs_it_once_and_a_second_question_once_more(staff: Client, schedules: MakeSchedule) -> None:
    made = schedules()
    form = {"schedules": made.pk, "press": str(uuid4()), "reason": "x"}
    staff.post(address("run-now"), form)
    said = staff.post(address("run-now"), form, follow=True).content.decode()
    assert "was let run by this press already; nothing was changed." in said
    assert Job.objects.count() == ScheduledRun.objects.count() == 1
    press(staff, "run-now", made)
    assert Job.objects.count() == 2


def test_what_makes_no_job_is_said_and_the_others_run(staff: Client, schedules: MakeSchedule) -> None:
    broken, fine = schedules("broken", task="gone.away"), schedules("fine")
    said = press(staff, "run-now", broken, fine)
    assert "“broken”: There is no task gone.away" in said
    assert "“fine” runs now." in said
    assert ScheduledRun.objects.get().schedule_id == fine.pk


def test_disabling_says_what_stops_does_it_once_and_leads_back_to_the_page(
    staff: Client, schedules: MakeSchedule
) -> None:
    made = schedules("tidy")
    asked = ask(staff, "disable", made).content.decode()
    assert "Disable “tidy”?" in asked
    assert "Nobody does its work until it is enabled again" in asked
    said = press(staff, "disable", made, back="schedule")
    assert "“tidy” is disabled." in said
    assert "Enable…" in said
    assert not enabled(made)
    assert "“tidy” was disabled already; nothing was changed." in press(staff, "disable", made)
    assert "“tidy” is enabled." in press(staff, "enable", made)
    assert enabled(made)
    page = staff.get(reverse("admin:jobs_queueload_changelist")).content.decode()
    assert "<b>schedule tidy</b> paused · operator" in page


def test_several_are_ticked_in_the_list_and_asked_about_together(staff: Client, schedules: MakeSchedule) -> None:
    one, two = schedules("one"), schedules("two")
    data = {"action": "disable_selected", "_selected_action": [one.pk, two.pk]}
    asked = staff.post(reverse(LIST), data)
    assert "Disable 2 schedules?" in asked.content.decode()
    form = {"schedules": asked.context["ids"], "press": asked.context["press"], "reason": "x"}
    staff.post(address("disable"), form)
    assert not PeriodicTask.objects.filter(enabled=True).exists()
    assert StaffAction.objects.count() == 2


def test_without_a_reason_nothing_is_done_and_the_press_keeps_its_name(staff: Client, schedules: MakeSchedule) -> None:
    made, name = schedules(), str(uuid4())
    form = {"schedules": made.pk, "press": name, "reason": " "}
    for verb in ("run-now", "disable"):
        answer = staff.post(address(verb), form)
        assert "This field is required." in answer.content.decode()
        assert answer.context["press"] == name
    assert enabled(made)
    assert not Job.objects.exists()


@pytest.mark.parametrize("given", ["", "x", "1,x", "\x00", "9" * 30, "0", "-1", "1e3"])
def test_what_names_no_schedule_changes_nothing(staff: Client, schedules: MakeSchedule, given: str) -> None:
    schedules()
    for verb in ("run-now", "enable", "disable"):
        answer = staff.post(address(verb), {"schedules": given, "reason": "x", "press": "\x00"}, follow=True)
        assert answer.status_code == 200
    assert staff.get(address("explode")).status_code == 404
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("permissions", "allowed"),
    [
        (["view_periodictask"], []),
        (["run_schedule"], []),
        (["view_periodictask", "run_schedule"], ["run-now"]),
        (["view_periodictask", "change_periodictask"], ["disable", "enable"]),
    ],
)
def test_each_verb_is_for_who_may(
    client: Client, schedules: MakeSchedule, permissions: list[str], allowed: list[str]
) -> None:
    made = schedules()
    somebody = staff_with(client, *permissions)
    for verb in ("run-now", "disable", "enable"):
        expected = 200 if verb in allowed else 403
        assert ask(somebody, verb, made).status_code == expected, verb
        form = {"schedules": made.pk, "press": str(uuid4()), "reason": "x"}
        assert somebody.post(address(verb), form, follow=verb in allowed).status_code == expected, verb
    assert Job.objects.count() == allowed.count("run-now")
    if "view_periodictask" in permissions:
        page = somebody.get(reverse(PAGE, args=[made.pk])).content.decode()
        assert ("Run now…" in page) == ("run-now" in allowed)
        assert ("Disable…" in page) == ("disable" in allowed)


def test_who_is_not_staff_is_sent_to_the_login(client: Client, schedules: MakeSchedule) -> None:
    made = schedules()
    assert client.post(address("run-now"), {"schedules": made.pk, "reason": "x"}).status_code == 302
    assert client.get(reverse(LIST)).status_code == 302
    assert not Job.objects.exists()
