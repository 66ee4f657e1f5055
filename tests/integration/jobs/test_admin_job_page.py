"""A job's own page in the admin: why it waits, what it is about, and what staff may do to it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Breaker, Job, Pause, StaffAction
from tests.fixtures_boxoffice import statements
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_staff import staff_with
from tests.ledger import job

pytestmark = pytest.mark.django_db

LIST = "admin:jobs_job_changelist"
EVERYTHING = ("view_job", "cancel_job", "run_job", "prioritise_job")


def page_of(client: Client, job_id: int) -> str:
    return client.get(reverse("admin:jobs_job_change", args=[job_id])).content.decode()


def address(verb: str) -> str:
    return reverse("admin:jobs_job_verb", args=[verb])


def press(client: Client, verb: str, *jobs: Job, **typed: Any) -> str:
    """Send the form of the page that asks; return the page that follows."""
    named = ",".join(f"{each.pk}:{each.generation}" for each in jobs)
    data = {"jobs": named, "reason": "the fan is on the phone", "back": "job", **typed}
    return client.post(address(verb), data, follow=True).content.decode()


def choose(client: Client, action: str, *jobs: Job) -> str:
    data = {"action": action, "_selected_action": [each.pk for each in jobs]}
    return client.post(reverse(LIST), data, follow=True).content.decode()


@transaction.atomic
def in_an_hour(**given: Any) -> Job:
    due = database_now() + timedelta(hours=1, seconds=5)
    return job(enqueue(task="probe.leave_a_mark", args={"key": "a"}, available_at=due, **given))


# What it shows


def test_a_waiting_job_says_all_that_holds_it_when_it_is_tried_next_and_why_it_failed(
    staff: Client, dead_jobs: DeadJobs
) -> None:
    later = database_now() + timedelta(minutes=5, seconds=5)
    given = {"state": "waiting", "gate": "later", "available_at": later, "reason": "will be tried again"}
    (waiting,) = dead_jobs(**given, destination="mail", attempts=4, error="Busy: tell ada@example.org")
    Pause.objects.create(kind="queue", name="probe", by="ben", reason="the printer burns")
    Breaker.objects.create(destination="mail", state="open", probe_at=later)
    page = page_of(staff, waiting.pk)
    for words in (
        "will be tried again",
        "its time comes in 5 min",
        "Queue probe is paused (ben, now): the printer burns",
        "Destination mail is taken for away; it is tried again in 5 min.",
        f'{later:%Y-%m-%d %H:%M:%S}</time> <span class="quiet">in 5 min',
        "4 failed",
        "Busy: tell [an e-mail address]",
    ):
        assert words in page, words
    assert "@example.org" not in page


def test_a_blocked_job_links_to_the_first_of_its_order(staff: Client) -> None:
    first, _second, third = (in_an_hour(ordering_key="k") for _ in range(3))
    page = page_of(staff, third.pk)
    assert "2 are in front of it" in page
    link = reverse("admin:jobs_job_change", args=[first.pk])
    assert f'<a href="{link}">Job {first.pk} is the first.</a>' in page


def test_arguments_and_traceback_name_nobody(staff: Client, dead_jobs: DeadJobs) -> None:
    args = {"order_id": 5, "buyer_name": "Ada Lovelace", "note": "ask ada@example.org", "access_token": "s3cret"}
    (dead,) = dead_jobs(args=args, traceback="line 7\nDETAIL:  Failing row contains (Ada Lovelace).")
    for name in ("admin:jobs_job_change", "admin:jobs_deadjob_change"):
        page = staff.get(reverse(name, args=[dead.pk])).content.decode()
        assert "&quot;order_id&quot;: 5" in page
        assert "line 7" in page
        for hidden in ("Lovelace", "ada@", "s3cret"):
            assert hidden not in page


def test_the_trail_tells_who_let_it_run_and_from_what_to_what_its_priority_went(staff: Client) -> None:
    waiting = in_an_hour()
    press(staff, "priority", waiting, priority="1", reason="doors open at seven")
    press(staff, "run-now", waiting)
    page = page_of(staff, waiting.pk)
    assert "given another priority" in page
    assert "5 → 1: doors open at seven" in page
    assert "let run at once" in page


@pytest.mark.parametrize("subject", ["order:ABCD2345", "order:", "order", ":x", "nobody:knows", "s" * 300])
def test_a_subject_without_a_page_is_no_link(staff: Client, dead_jobs: DeadJobs, subject: str) -> None:
    (dead,) = dead_jobs(subject=subject)
    page = page_of(staff, dead.pk)
    assert subject in page
    assert f">{subject}</a>" not in page


def test_the_page_takes_as_many_queries_whatever_the_ledger_holds(staff: Client, dead_jobs: DeadJobs) -> None:
    counts = []
    page_of(staff, in_an_hour().pk)  # a process asks once what kind of thing a job is
    for _ in range(2):
        dead_jobs(30, state="waiting", subject="order:ABCD2345")
        first = in_an_hour(ordering_key="k")
        for number in range(3):
            StaffAction.objects.create(job_id=first.pk, action="priority", by="ben", reason=f"{number}")
        with statements() as queries:
            page_of(staff, in_an_hour(ordering_key="k").pk)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 16


@pytest.mark.parametrize("number", ["0", "9" * 18, "9" * 30, "-1", "x", "٣", "1_2F"])
def test_a_number_that_no_job_has_leads_back_and_fails_over_nothing(staff: Client, number: str) -> None:
    response = staff.get(reverse("admin:jobs_job_change", args=[number]), follow=True)
    assert response.status_code == 200
    assert "doesn’t exist" in response.content.decode()


# What may be done


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("waiting", {"Run now…", "Change priority…", "Cancel…"}),
        ("published", {"Cancel…"}),
        ("running", {"Cancel…"}),
        ("dead", {"Replay…", "Discard…"}),
        ("done", set()),
        ("cancelled", set()),
    ],
)
def test_a_page_offers_what_can_be_done_to_a_job_in_its_state(
    staff: Client, dead_jobs: DeadJobs, state: str, offered: set[str]
) -> None:
    (given,) = dead_jobs(state=state, available_at=database_now() + timedelta(hours=1))
    page = page_of(staff, given.pk)
    for words in ("Run now…", "Change priority…", "Cancel…", "Replay…", "Discard…"):
        assert (f">{words}</a>" in page) == (words in offered), words


@pytest.mark.parametrize(
    ("verb", "asks", "says", "state"),
    [
        ("cancel", "Cancel job {}?", "Job {} was cancelled.", "cancelled"),
        ("run-now", "Run job {} now?", "Job {} is due now.", "waiting"),
        ("priority", "Change the priority of job {}?", "Job {} has another priority.", "waiting"),
    ],
)
def test_each_asks_once_does_it_once_and_says_what_it_did_with_a_link(
    staff: Client, verb: str, asks: str, says: str, state: str
) -> None:
    waiting = in_an_hour()
    asked = staff.get(address(verb), {"jobs": f"{waiting.pk}:0", "back": "job"}).content.decode()
    assert asks.format(waiting.pk) in asked
    assert "probe.leave_a_mark" in asked
    assert job(waiting.pk).state == "waiting"
    assert StaffAction.objects.count() == 0

    said = press(staff, verb, waiting, priority="1")
    link = reverse("admin:jobs_job_change", args=[waiting.pk])
    assert f'{says.format(waiting.pk)} <a href="{link}">' in said
    assert job(waiting.pk).state == state
    (entry,) = StaffAction.objects.all()
    assert (entry.by, entry.job_id) == ("operator", waiting.pk)

    again = press(staff, verb, waiting, priority="1")
    assert "already" in again
    assert StaffAction.objects.count() == 1


def test_letting_a_job_run_says_what_goes_on_holding_it(staff: Client) -> None:
    waiting = in_an_hour()
    Pause.objects.create(kind="queue", name="probe", by="ben", reason="the printer burns")
    asked = staff.get(address("run-now"), {"jobs": f"{waiting.pk}:0"}).content.decode()
    assert "It goes on waiting for:" in asked
    assert "Queue probe is paused" in asked
    assert "Queue probe is paused" in press(staff, "run-now", waiting)


def test_without_a_reason_or_with_a_priority_that_there_is_not_the_form_stays_and_nothing_changes(
    staff: Client,
) -> None:
    waiting = in_an_hour()
    assert "This field is required." in press(staff, "cancel", waiting, reason=" ")
    assert "Select a valid choice" in press(staff, "priority", waiting, priority="10")
    assert "Ensure this value has at most 300" in press(staff, "cancel", waiting, reason="x" * 301)
    assert (job(waiting.pk).state, job(waiting.pk).priority, StaffAction.objects.count()) == ("waiting", 5, 0)


def test_a_job_that_was_replayed_since_is_not_the_one_that_was_meant(staff: Client, dead_jobs: DeadJobs) -> None:
    (waiting,) = dead_jobs(state="waiting", generation=1)
    said = staff.post(address("cancel"), {"jobs": f"{waiting.pk}:0", "reason": "old page"}, follow=True)
    assert "was replayed meanwhile" in said.content.decode()
    assert job(waiting.pk).state == "waiting"


def test_who_may_cancel_cannot_discard_a_dead_job_that_way(staff: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    assert "is dead: it can be replayed or discarded" in press(staff, "cancel", dead)
    assert job(dead.pk).state == "dead"


# Many at once


def test_many_are_cancelled_or_let_run_at_once_and_those_that_cannot_be_are_named(
    staff: Client, dead_jobs: DeadJobs
) -> None:
    jobs = [in_an_hour(), in_an_hour()]
    (done,) = dead_jobs(state="done")
    asked = choose(staff, "run_selected_now", *jobs, done)
    assert "Run 2 jobs now?" in asked
    assert f"Job {done.pk} is done already." in asked
    said = press(staff, "run-now", *jobs, done, back="queue=probe")
    assert "2 jobs are due now." in said
    assert f"Job {done.pk} is done already." in said
    assert "3 jobs" in choose(staff, "cancel_selected", *jobs, in_an_hour())
    assert "2 jobs were cancelled." in press(staff, "cancel", *jobs)
    assert {job(each.pk).state for each in jobs} == {"cancelled"}


def test_a_list_is_narrowed_by_state_queue_destination_and_task_and_searched_by_number_and_subject(
    staff: Client, dead_jobs: DeadJobs
) -> None:
    dead_jobs()
    (wanted,) = dead_jobs(
        state="running", queue="default", destination="mail", task="probe.call", subject="order:A", correlation_id="c-1"
    )
    for query in (
        {"state__exact": "running"},
        {"queue": "default"},
        {"destination": "mail"},
        {"task": "probe.call"},
        {"q": "order:A"},
        {"q": str(wanted.pk)},
        {"q": "c-1"},
    ):
        found = staff.get(reverse(LIST), query).context["cl"].result_list
        assert [each.pk for each in found] == [wanted.pk], query


@pytest.mark.parametrize("term", ["9" * 30, "' OR 1=1 --", "٣", "x" * 3000, "order:<script>"])
def test_a_hostile_search_finds_nothing_and_fails_over_nothing(staff: Client, dead_jobs: DeadJobs, term: str) -> None:
    dead_jobs()
    response = staff.get(reverse(LIST), {"q": term})
    assert response.status_code == 200
    assert "No job matches." in response.content.decode()
    assert "<script>" not in response.content.decode().split("</head>")[1].replace("<script src", "")


# Who may


def test_who_may_only_look_sees_no_button_and_no_action_and_cannot_do_it(client: Client) -> None:
    waiting = in_an_hour()
    looker = staff_with(client, "view_job")
    page = page_of(looker, waiting.pk)
    assert "Cancel…" not in page
    assert "cancel_selected" not in looker.get(reverse(LIST)).content.decode()
    for verb in ("cancel", "run-now", "priority"):
        assert looker.get(address(verb), {"jobs": f"{waiting.pk}:0"}).status_code == 403
        assert looker.post(address(verb), {"jobs": f"{waiting.pk}:0", "reason": "x"}).status_code == 403
    assert job(waiting.pk).gate == "later"


@pytest.mark.parametrize(
    ("permission", "allowed"), [("cancel_job", "cancel"), ("run_job", "run-now"), ("prioritise_job", "priority")]
)
def test_each_permission_allows_its_own_change_and_no_other(client: Client, permission: str, allowed: str) -> None:
    waiting = in_an_hour()
    somebody = staff_with(client, "view_job", permission)
    for verb in ("cancel", "run-now", "priority"):
        expected = 200 if verb == allowed else 403
        assert somebody.get(address(verb), {"jobs": f"{waiting.pk}:0"}).status_code == expected


def test_who_may_cancel_but_not_see_jobs_cannot(client: Client) -> None:
    waiting = in_an_hour()
    blind = staff_with(client, "cancel_job")
    assert blind.get(address("cancel"), {"jobs": f"{waiting.pk}:0"}).status_code == 403


def test_nonsense_in_place_of_jobs_changes_nothing_and_leads_back_to_the_list(staff: Client) -> None:
    for named in ("", "x", "1", "1:x", "-1:0", "9" * 30 + ":0", "0:0", "1:0,1:0," * 300):
        data = {"jobs": named, "reason": "x", "back": "//evil.example", "priority": "1"}
        for response in (staff.get(address("cancel"), data), staff.post(address("cancel"), data)):
            assert response.status_code == 302
            assert response["Location"].startswith(reverse(LIST))
    assert StaffAction.objects.count() == 0


def test_a_verb_that_there_is_not_is_not_found(staff: Client) -> None:
    assert staff.get(address("explode"), {"jobs": "1:0"}).status_code == 404
