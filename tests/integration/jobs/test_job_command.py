"""``manage.py job``: one job, why it waits, and what can be done to it from the command line."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.history.partitions import make_partitions_ahead
from jobs.models import Breaker, JobHistory, Pause, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job

pytestmark = pytest.mark.django_db

WHO = {"by": "ada", "reason": "the fan is on the phone"}


def command(*words: object, **options: Any) -> str:
    out = StringIO()
    call_command("job", *map(str, words), stdout=out, **options)
    return out.getvalue()


@transaction.atomic
def in_an_hour(**given: Any) -> int:
    due = database_now() + timedelta(hours=1, seconds=5)
    return enqueue(task="probe.leave_a_mark", args={"key": "a"}, available_at=due, **given)


def test_a_waiting_job_tells_all_that_holds_it_and_when_it_is_tried_next(dead_jobs: DeadJobs) -> None:
    later = database_now() + timedelta(minutes=5, seconds=5)
    given = {"state": "waiting", "gate": "later", "available_at": later, "reason": "will be tried again"}
    (waiting,) = dead_jobs(**given, destination="mail", subject="order:ABCD2345", error="Busy: tell ada@example.org")
    Pause.objects.create(kind="queue", name="probe", by="ben", reason="the printer burns")
    Breaker.objects.create(destination="mail", state="open", probe_at=later)

    said = command(waiting.pk)

    for words in (
        f"Job {waiting.pk}  probe.leave_a_mark",
        "waiting (will be tried again)",
        "its time comes in 5 min",
        "Queue probe is paused (ben, now): the printer burns",
        "Destination mail is taken for away; it is tried again in 5 min.",
        "No relay is running",
        "No worker consumes queue probe.",
        f"{later:%Y-%m-%d %H:%M:%S} UTC, in 5 min",
        "Busy: tell [an e-mail address]",
        "order:ABCD2345",
        '{"key": "dead 0"}',
    ):
        assert words in said, words


def test_a_job_that_is_due_is_not_said_to_be_tried_next_in_the_past(dead_jobs: DeadJobs) -> None:
    due = database_now() - timedelta(minutes=5)
    (waiting,) = dead_jobs(state="waiting", gate="ready", available_at=due)
    (told,) = (line for line in command(waiting.pk).splitlines() if "next attempt" in line)
    assert told.endswith("as soon as nothing holds it")


def test_a_job_behind_another_names_the_first_of_its_order() -> None:
    first, second, third = (in_an_hour(ordering_key="k") for _ in range(3))
    said = command(third)
    assert "2 are in front of it" in said
    assert f"Job {first} is the first." in said
    assert "one is in front of it" in command(second)


def test_the_trail_and_on_demand_the_traceback_are_shown_without_persons(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(traceback="Traceback: line 7\nDETAIL:  Failing row contains (ada@example.org).")
    StaffAction.objects.create(
        job_id=dead.pk, action="replay", by="ben", reason="mended", job_error="to eve@example.org"
    )
    said = command(dead.pk, with_traceback=True)
    assert "replay  by ben: mended" in said
    assert "Traceback: line 7" in said
    assert "@example.org" not in said
    assert "Traceback" not in command(dead.pk)


def test_a_removed_job_shows_what_is_kept_of_it() -> None:
    now = database_now()
    make_partitions_ahead()
    JobHistory.objects.create(id=77, task="probe.call", queue="probe", state="done", created_at=now, finished_at=now)
    said = command(77)
    assert "Job 77  probe.call  (removed" in said
    with pytest.raises(CommandError, match="Job 77 has ended and was removed"):
        command(77, "cancel", **WHO)


@pytest.mark.parametrize(
    ("verb", "state", "due", "priority", "action"),
    [
        (["cancel"], "cancelled", False, 5, "cancel"),
        (["run-now"], "waiting", True, 5, "run now"),
        (["priority", "1"], "waiting", False, 1, "priority"),
    ],
)
def test_each_verb_changes_every_job_named_and_leaves_a_trail(
    verb: list[str], state: str, due: bool, priority: int, action: str
) -> None:
    job_ids = [in_an_hour(), in_an_hour()]
    said = command(*job_ids, *verb, **WHO)
    for job_id in job_ids:
        now = job(job_id)
        assert (now.state, now.available_at <= database_now(), now.priority) == (state, due, priority)
        assert f"Job {job_id}: " in said
    trail = StaffAction.objects.order_by("id").values_list("job_id", "action", "by")
    assert list(trail) == [(job_id, action, "ada") for job_id in job_ids]


def test_one_that_is_refused_does_not_keep_the_others_and_the_error_says_why(dead_jobs: DeadJobs) -> None:
    (running,) = dead_jobs(state="running")
    waits = in_an_hour()
    with pytest.raises(CommandError, match=f"Job {running.pk} is running already") as refused:
        command(running.pk, waits, 987654321, "run-now", **WHO)
    assert "There is no job 987654321" in str(refused.value)
    assert job(waits).gate == "ready"


def test_a_job_that_is_due_but_held_says_by_what() -> None:
    job_id = in_an_hour()
    Pause.objects.create(kind="queue", name="probe", by="ben", reason="the printer burns")
    assert "Queue probe is paused" in command(job_id, "run-now", **WHO)


@pytest.mark.parametrize("missing", ["by", "reason"])
def test_without_a_name_or_a_reason_nothing_is_changed(missing: str) -> None:
    job_id = in_an_hour()
    with pytest.raises(CommandError, match="Say who does this and why"):
        command(job_id, "cancel", **{**WHO, missing: " "})
    assert job(job_id).state == "waiting"


@pytest.mark.parametrize(
    "words",
    [
        ["cancel"],
        ["x"],
        ["-1"],
        ["9" * 19],
        ["٣x"],
        ["1", "explode"],
        ["1", "priority"],
        ["1", "priority", "x"],
        ["1", "priority", "10"],
        ["1", "priority", "9" * 30],
        ["1", "cancel", "2"],
        ["1", "'; DROP TABLE jobs_job; --"],
    ],
)
def test_words_that_mean_nothing_are_refused_in_words(words: list[str]) -> None:
    with pytest.raises(CommandError, match=r"numbers|nothing that can be done|is a number from 0|arguments"):
        command(*words, **WHO)
