"""Dead jobs in the admin: seen with their cause, and replayed or discarded once, with a reason."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from jobs.admin import chosen_jobs
from jobs.models import Job, StaffAction
from tests.dead_jobs_pages import LIST, choose, press, seen
from tests.fixtures_boxoffice import statements
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job

pytestmark = pytest.mark.django_db

# The list


def test_only_dead_jobs_are_listed_with_cause_subject_and_replays(staff: Client, dead_jobs: DeadJobs) -> None:
    dead_jobs(reason="crash loop", error="", subject="order:ABCD2345", generation=3)
    dead_jobs(reason="attempts used up", error="ConnectionRefusedError: nobody there", generation=1)
    dead_jobs(state="waiting", subject="order:LIVELY")

    listing = staff.get(reverse(LIST)).content.decode()

    assert "It ended its worker each time it ran." in listing
    assert "It was tried again and again, and failed each time." in listing
    assert "ConnectionRefusedError: nobody there" in listing
    assert "order:ABCD2345" in listing
    assert listing.count("in quarantine</span>") == 1
    assert "order:LIVELY" not in listing


def test_an_empty_list_says_that_all_is_well_and_an_empty_search_does_not(staff: Client, dead_jobs: DeadJobs) -> None:
    assert "No dead jobs." in staff.get(reverse(LIST)).content.decode()
    dead_jobs()
    searched = staff.get(reverse(LIST), {"q": "order:NOBODY"}).content.decode()
    assert "No dead job matches." in searched
    assert "No dead jobs." not in searched


@pytest.mark.parametrize("query", [{"q": "order:ABC"}, {"q": "no space"}, {"quarantined": "yes"}, {"queue": "default"}])
def test_a_job_is_found_by_subject_error_quarantine_and_queue(
    staff: Client, dead_jobs: DeadJobs, query: dict[str, str]
) -> None:
    dead_jobs()
    (wanted,) = dead_jobs(subject="order:ABC", error="OSError: No space left", generation=5, queue="default")
    assert [each.pk for each in staff.get(reverse(LIST), query).context["cl"].result_list] == [wanted.pk]


def test_the_list_takes_as_many_queries_for_many_jobs_as_for_one(staff: Client, dead_jobs: DeadJobs) -> None:
    counts = []
    for _ in range(2):
        dead_jobs(3)
        with statements() as queries:
            staff.get(reverse(LIST))
        counts.append(len(queries))
    assert counts[0] == counts[1]


# Asking


def test_the_page_that_asks_counts_by_task_and_cause_and_changes_nothing(staff: Client, dead_jobs: DeadJobs) -> None:
    dead = [*dead_jobs(3), *dead_jobs(2, task="probe.call", error="", reason="crash loop")]
    asked = choose(staff, "replay_selected", *dead)
    assert "Replay 5 dead jobs?" in asked
    assert '<td>probe.leave_a_mark</td><td>ValueError: nobody expected this</td><td class="figure">3</td>' in asked
    assert '<td>probe.call</td><td>crash loop</td><td class="figure">2</td>' in asked
    assert Job.objects.filter(state="dead").count() == 5


@pytest.mark.parametrize(
    ("verb", "state", "said"), [("replay", "waiting", "2 jobs were replayed."), ("discard", "cancelled", "2 jobs were")]
)
def test_a_press_does_it_audits_it_and_says_what_was_done(
    staff: Client, dead_jobs: DeadJobs, verb: str, state: str, said: str
) -> None:
    dead = dead_jobs(2)
    assert said in press(staff, verb, *dead)
    assert {job(each.pk).state for each in dead} == {state}
    assert set(StaffAction.objects.values_list("action", "by", "reason")) == {
        (verb, "operator", "the disk has room again")
    }
    assert StaffAction.objects.count() == 2


@pytest.mark.parametrize("verb", ["replay", "discard"])
def test_a_second_press_changes_nothing_and_says_so(staff: Client, dead_jobs: DeadJobs, verb: str) -> None:
    dead = dead_jobs(2)
    press(staff, verb, *dead)
    again = press(staff, verb, *dead)
    assert "2 jobs were no longer dead, and were left alone." in again
    assert StaffAction.objects.count() == 2
    looked = staff.get(reverse(f"admin:jobs_deadjob_{verb}"), {"jobs": seen(*dead)}, follow=True).content.decode()
    assert "None of these jobs is dead any more; nothing was changed." in looked


def test_a_job_that_died_again_since_the_page_was_opened_is_left_alone(staff: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    Job.objects.update(generation=1)
    assert "1 job was no longer dead" in press(staff, "replay", dead)
    assert job(dead.pk).state == "dead"


@pytest.mark.parametrize("reason", ["", "   ", "x" * 301])
@pytest.mark.parametrize("verb", ["replay", "discard"])
def test_without_a_reason_the_page_asks_again_and_nothing_changes(
    staff: Client, dead_jobs: DeadJobs, verb: str, reason: str
) -> None:
    (dead,) = dead_jobs()
    assert "errorlist" in press(staff, verb, dead, reason=reason)
    assert job(dead.pk).state == "dead"


def test_the_filters_of_the_list_are_kept(staff: Client, dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    data = {"jobs": seen(dead), "reason": "why", "back": "queue=probe"}
    response = staff.post(reverse("admin:jobs_deadjob_replay"), data)
    assert response["Location"] == reverse(LIST) + "?queue=probe"


def test_more_than_one_request_can_carry_is_for_the_command_line(
    staff: Client, dead_jobs: DeadJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.admin.dead_jobs.MAX_AT_ONCE", 2)
    said = choose(staff, "replay_selected", *dead_jobs(3), select_across="1")
    assert "More than 2 jobs at once are for the command line: manage.py replay_dlq." in said


@pytest.mark.parametrize("given", ["", "x", "1", "1:", ":0", "99999999999999999999:0", "1:0:0", "-1:0", "²:0"])
def test_a_made_up_choice_leads_back_to_the_list(staff: Client, dead_jobs: DeadJobs, given: str) -> None:
    response = staff.get(reverse("admin:jobs_deadjob_replay"), {"jobs": given})
    assert (response.status_code, response["Location"]) == (302, reverse(LIST))
    assert chosen_jobs.read_seen("7:1,x,8:2") == {7: 1, 8: 2}


@pytest.mark.parametrize(
    "asked",
    ["error__regex=[", "finished_at__year=99999999999", "priority__range=1", "subject__in=%00", "args__x=1", "id=%00"],
)
@pytest.mark.parametrize("listing", ["job", "deadjob", "deadletter"])
def test_a_lookup_that_no_filter_offers_is_refused_and_is_no_fault_of_ours(
    staff: Client, listing: str, asked: str
) -> None:
    response = staff.get(f"{reverse(f'admin:jobs_{listing}_changelist')}?{asked}")
    assert response.status_code in (302, 400)


# Quarantine, and what does not fit


def test_a_job_in_quarantine_is_replayed_on_a_second_thought_only(staff: Client, dead_jobs: DeadJobs) -> None:
    (often,) = dead_jobs(generation=3)
    assert "Tick this to replay them all the same" in press(staff, "replay", often)
    assert job(often.pk).state == "dead"
    assert "1 job was replayed." in press(staff, "replay", often, include_quarantined="on")
    assert job(often.pk).generation == 4


def test_without_the_tick_the_others_are_replayed_and_the_rest_is_counted(staff: Client, dead_jobs: DeadJobs) -> None:
    (once,), (often,) = dead_jobs(), dead_jobs(generation=7)
    said = press(staff, "replay", once, often)
    assert "1 job was replayed." in said
    assert "1 job stays in quarantine." in said
    assert (job(once.pk).state, job(often.pk).state) == ("waiting", "dead")


def test_quarantine_does_not_hold_up_a_discard(staff: Client, dead_jobs: DeadJobs) -> None:
    (often,) = dead_jobs(generation=7)
    assert "1 job was discarded." in press(staff, "discard", often)


def test_what_does_not_fit_is_named_before_the_press_and_left_as_it_is(staff: Client, dead_jobs: DeadJobs) -> None:
    (fit,), (unfit,) = dead_jobs(), dead_jobs(args={"colour": "red"})
    asked = choose(staff, "replay_selected", fit, unfit)
    assert "Replay 1 dead job?" in asked
    assert "The task does not take the job&#x27;s argument colour." in asked
    press(staff, "replay", fit, unfit)
    assert (job(fit.pk).state, job(unfit.pk).state) == ("waiting", "dead")


def test_where_nothing_fits_there_is_no_button(staff: Client, dead_jobs: DeadJobs) -> None:
    (unfit,) = dead_jobs(task="probe.unknown_to_workers")
    asked = choose(staff, "replay_selected", unfit)
    assert "No app here has the task probe.unknown_to_workers." in asked
    assert 'name="reason"' not in asked
