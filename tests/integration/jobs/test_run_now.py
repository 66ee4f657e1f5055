"""Staff let a job of the future run at once; whatever else holds it goes on holding it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from jobs import transitions
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.errors import NotRunnableNow, ReasonMissing
from jobs.models import Job, Pause, StaffAction
from jobs.run_now import run_job_now
from jobs.wakeup import CHANNEL, plain_connection
from jobs.why_it_waits import why_it_waits
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits

pytestmark = real_commits


def in_an_hour(**given: Any) -> int:
    with transaction.atomic():
        due = database_now() + timedelta(hours=1)
        return enqueue(task="probe.leave_a_mark", args={"key": "a"}, available_at=due, **given)


def run_it_now(job_id: int, **given: Any) -> None:
    run_job_now(**{"job_id": job_id, "generation": 0, "by": "ada", "reason": "the fan is on the phone", **given})


def handed_out() -> list[int]:
    marked = transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    return [message.job_id for message in marked.messages]


def obstacles(job_id: int) -> list[str]:
    return [each.sentence for each in why_it_waits(job=job(job_id), now=database_now())]


def test_a_job_of_the_future_is_handed_out_at_once_and_the_trail_says_who_wanted_it() -> None:
    job_id = in_an_hour()
    assert handed_out() == []
    run_it_now(job_id)
    assert handed_out() == [job_id]
    (entry,) = StaffAction.objects.all()
    assert (entry.job_id, entry.action, entry.by, entry.reason) == (job_id, "run now", "ada", "the fan is on the phone")


def test_a_retry_that_need_not_wait_keeps_its_attempts_and_its_error(dead_jobs: DeadJobs) -> None:
    later = database_now() + timedelta(minutes=5)
    (retry,) = dead_jobs(state="waiting", gate="later", available_at=later, attempts=7, reason="will be tried again")
    run_it_now(retry.pk)
    now = job(retry.pk)
    assert (now.gate, now.attempts, now.reason, now.error) == ("ready", 7, "will be tried again", retry.error)


def test_a_job_behind_another_one_of_its_ordering_key_stays_behind_it() -> None:
    first, second = in_an_hour(ordering_key="k"), in_an_hour(ordering_key="k")
    run_it_now(second)
    assert handed_out() == []
    assert "one is in front of it" in obstacles(second)[0]
    run_it_now(first)
    assert handed_out() == [first]
    transitions.cancel(using="default", job_id=first, generation=0, reason="gone")
    assert handed_out() == [second]


def test_a_paused_queue_keeps_the_job_and_is_named() -> None:
    job_id = in_an_hour()
    Pause.objects.create(kind="queue", name="probe", by="ben", reason="the printer burns")
    run_it_now(job_id)
    assert job(job_id).gate == "ready"
    assert "Queue probe is paused (ben, now): the printer burns" in obstacles(job_id)


def test_a_second_press_changes_nothing_and_says_so() -> None:
    job_id = in_an_hour()
    run_it_now(job_id)
    due = job(job_id).available_at
    with pytest.raises(NotRunnableNow, match="is due already"):
        run_it_now(job_id)
    assert (job(job_id).available_at, StaffAction.objects.count()) == (due, 1)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"state": "published"}, "with the workers already"),
        ({"state": "running"}, "is running already"),
        ({"state": "done"}, "is done already"),
        ({"state": "dead"}, "can be replayed"),
        ({"state": "cancelled"}, "is cancelled already"),
        ({"state": "waiting", "generation": 1}, "was replayed meanwhile"),
    ],
)
def test_a_job_that_does_not_wait_for_its_time_is_left_alone_and_the_error_says_why(
    dead_jobs: DeadJobs, given: dict[str, Any], says: str
) -> None:
    (given_job,) = dead_jobs(**given, available_at=database_now() + timedelta(hours=1))
    before = Job.objects.filter(pk=given_job.pk).values().get()
    with pytest.raises(NotRunnableNow, match=says):
        run_it_now(given_job.pk)
    assert (Job.objects.filter(pk=given_job.pk).values().get(), StaffAction.objects.count()) == (before, 0)


def test_a_job_that_is_gone_is_named() -> None:
    with pytest.raises(NotRunnableNow, match="There is no job 987654321"):
        run_it_now(987654321)


def test_nobody_does_it_without_a_name_and_a_reason() -> None:
    job_id = in_an_hour()
    for missing in ("by", "reason"):
        with pytest.raises(ReasonMissing):
            run_it_now(job_id, **{missing: " "})
    assert job(job_id).gate == "later"


def test_the_relay_hears_of_it_when_it_is_committed_and_not_before() -> None:
    job_id = in_an_hour()
    with plain_connection("default") as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        for _ in listener.notifies(timeout=0.2):  # of the enqueue
            pass
        run_it_now(job_id)
        assert [each.channel for each in listener.notifies(timeout=10, stop_after=1)] == [CHANNEL]
