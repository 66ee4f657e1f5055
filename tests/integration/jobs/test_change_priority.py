"""Staff let a waiting job go before others, or after them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from jobs import transitions
from jobs.change_priority import change_priority
from jobs.enqueue import enqueue
from jobs.errors import PriorityNotChangeable, ReasonMissing
from jobs.models import Job, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits

pytestmark = real_commits


@transaction.atomic
def waiting() -> int:
    return enqueue(task="probe.leave_a_mark", args={"key": "a"})


def set_priority(job_id: int, priority: int, **given: Any) -> None:
    values = {"job_id": job_id, "generation": 0, "priority": priority, "by": "ada", "reason": "doors open at seven"}
    change_priority(**{**values, **given})


def test_the_more_urgent_job_is_handed_out_first_and_the_trail_says_from_what_to_what() -> None:
    first, second = waiting(), waiting()
    set_priority(second, 1)
    marked = transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    assert [message.job_id for message in marked.messages] == [second, first]
    (entry,) = StaffAction.objects.all()
    assert (entry.action, entry.by, entry.reason) == ("priority", "ada", "5 → 1: doors open at seven")


def test_a_second_press_changes_nothing_and_says_so() -> None:
    job_id = waiting()
    set_priority(job_id, 1)
    with pytest.raises(PriorityNotChangeable, match="has priority 1 already"):
        set_priority(job_id, 1)
    assert StaffAction.objects.count() == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"state": "published"}, "with the workers already"),
        ({"state": "running"}, "is running already"),
        ({"state": "done"}, "is done already"),
        ({"state": "dead"}, "is dead"),
        ({"state": "cancelled"}, "is cancelled already"),
        ({"state": "waiting", "generation": 1}, "was replayed meanwhile"),
    ],
)
def test_what_does_not_wait_keeps_its_priority_and_the_error_says_why(
    dead_jobs: DeadJobs, given: dict[str, Any], says: str
) -> None:
    (given_job,) = dead_jobs(**given)
    before = Job.objects.filter(pk=given_job.pk).values().get()
    with pytest.raises(PriorityNotChangeable, match=says):
        set_priority(given_job.pk, 1)
    assert (Job.objects.filter(pk=given_job.pk).values().get(), StaffAction.objects.count()) == (before, 0)


@pytest.mark.parametrize("priority", [-1, 10, 32768, 10**20])
def test_a_priority_that_there_is_not_is_refused_in_words(priority: int) -> None:
    job_id = waiting()
    with pytest.raises(PriorityNotChangeable, match="from 0, the most urgent, to 9"):
        set_priority(job_id, priority)
    assert job(job_id).priority == 5


def test_nobody_does_it_without_a_name_and_a_reason() -> None:
    job_id = waiting()
    for missing in ("by", "reason"):
        with pytest.raises(ReasonMissing):
            set_priority(job_id, 1, **{missing: " "})
    assert job(job_id).priority == 5
