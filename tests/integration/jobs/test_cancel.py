"""A job that nobody wants any more ends, whatever it was about to do, and the trail says who ended it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs import transitions
from jobs.cancel import cancel_job
from jobs.claim import Claim
from jobs.errors import NotCancellable, ReasonMissing
from jobs.models import StaffAction
from jobs.worker.execution import Outcome
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits
from tests.probe.models import Mark

pytestmark = real_commits


@pytest.mark.parametrize("state", ["waiting", "published", "running", "dead"])
def test_a_job_that_has_not_ended_well_can_be_cancelled(dead_jobs: DeadJobs, state: str) -> None:
    (given,) = dead_jobs(state=state)

    cancel_job(job_id=given.pk, generation=0, by="operator", reason="nobody wants it")

    assert (job(given.pk).state, job(given.pk).reason) == ("cancelled", "by staff: nobody wants it")
    (entry,) = StaffAction.objects.all()
    assert (entry.action, entry.by, entry.reason) == ("cancel", "operator", "nobody wants it")
    assert (entry.job_reason, entry.job_error) == ("permanent error", "ValueError: nobody expected this")


@pytest.mark.parametrize(("state", "generation"), [("done", 0), ("cancelled", 0), ("waiting", 1)])
def test_what_has_ended_or_is_another_generation_is_left_alone(
    dead_jobs: DeadJobs, state: str, generation: int
) -> None:
    (given,) = dead_jobs(state=state, generation=generation)
    with pytest.raises(NotCancellable):
        cancel_job(job_id=given.pk, generation=0, by="operator", reason="too late")
    assert (job(given.pk).state, StaffAction.objects.count()) == (state, 0)


def test_nobody_cancels_without_a_name(dead_jobs: DeadJobs) -> None:
    (given,) = dead_jobs(state="waiting")
    with pytest.raises(ReasonMissing):
        cancel_job(job_id=given.pk, generation=0, by="", reason="why")
    assert job(given.pk).state == "waiting"


def test_a_message_of_a_cancelled_job_starts_nothing(
    published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    cancel_job(job_id=job_id, generation=0, by="operator", reason="nobody wants it")
    assert work(job_id) is Outcome.SETTLED
    assert (job(job_id).state, Mark.objects.count()) == ("cancelled", 0)


def test_a_run_that_is_cancelled_under_way_cannot_record(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    cancel_job(job_id=claim.job_id, generation=0, by="operator", reason="nobody wants it")
    assert not transitions.mark_done(using="default", job_id=claim.job_id, token=claim.token)
    assert job(claim.job_id).state == "cancelled"
