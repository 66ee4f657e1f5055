"""What a job writes and the fact that it is done: one transaction, guarded by the fencing token (I3, I10)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from jobs import transitions
from jobs.claim import Claim, running
from jobs.enqueue import enqueue
from jobs.errors import LeaseLost, RecordedTwice
from jobs.models import Job
from jobs.record import record
from jobs.worker.execution import Outcome
from tests.ledger import job, real_commits
from tests.probe.models import Mark

pytestmark = real_commits


def test_outside_a_job_it_is_a_plain_transaction(transactional_db: None) -> None:
    with record():
        assert connection.in_atomic_block
        Mark.objects.create(key="a")
    with contextlib.suppress(ZeroDivisionError), record():
        Mark.objects.create(key="b")
        raise ZeroDivisionError
    assert [mark.key for mark in Mark.objects.all()] == ["a"]


def test_effect_done_and_what_follows_commit_together(claimed: Callable[..., Claim]) -> None:
    with running(claimed(key="a")) as claim, record():
        Mark.objects.create(key="a")
        enqueue(task="probe.leave_a_mark", args={"key": "b"})
        assert job(claim.job_id).state == "running"
    assert claim.recorded
    assert (job(claim.job_id).state, Mark.objects.count(), Job.objects.count()) == ("done", 1, 2)


def test_a_block_that_fails_writes_nothing_and_leaves_the_job_running(claimed: Callable[..., Claim]) -> None:
    with running(claimed(key="a")) as claim, contextlib.suppress(ZeroDivisionError), record():
        Mark.objects.create(key="a")
        enqueue(task="probe.leave_a_mark", args={"key": "b"})
        raise ZeroDivisionError
    assert not claim.recorded
    assert (job(claim.job_id).state, Mark.objects.count(), Job.objects.count()) == ("running", 0, 1)


def test_a_run_that_was_rescued_writes_nothing(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    transitions.rescue(using="default", job_id=claim.job_id, token=claim.token, reason="lease ran out")
    with running(claim), pytest.raises(LeaseLost), record():
        Mark.objects.create(key="a")
    assert (job(claim.job_id).state, Mark.objects.count()) == ("waiting", 0)


def test_a_run_that_was_rescued_and_replaced_writes_nothing(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    Job.objects.filter(pk=claim.job_id).update(token=claim.token + 1)  # another worker's claim
    with running(claim), pytest.raises(LeaseLost), record():
        Mark.objects.create(key="a")
    assert (job(claim.job_id).state, Mark.objects.count()) == ("running", 0)


def test_a_second_record_is_refused(claimed: Callable[..., Claim]) -> None:
    with running(claimed(key="a")):
        with record():
            Mark.objects.create(key="a")
        with pytest.raises(RecordedTwice, match="one `with record"), record():
            Mark.objects.create(key="b")
    assert [mark.key for mark in Mark.objects.all()] == ["a"]


def test_a_record_inside_another_transaction_is_refused(claimed: Callable[..., Claim]) -> None:
    """Its commit would depend on what the outer block does later."""
    with running(claimed(key="a")) as claim, pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        with record():
            Mark.objects.create(key="a")
    assert (job(claim.job_id).state, Mark.objects.count()) == ("running", 0)


def test_a_body_that_fails_after_its_record_stays_done(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
        raise ValueError("too late to matter")

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    assert (job(job_id).state, job(job_id).error, Mark.objects.count()) == ("done", "", 1)


def test_a_hook_that_fails_after_the_commit_leaves_the_job_done(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            transaction.on_commit(lambda: 1 / 0)

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    assert (job(job_id).state, Mark.objects.count()) == ("done", 1)


def test_a_body_without_a_record_is_done_when_it_returns(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    def body(*, key: str) -> None:
        """Nothing to write."""

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    assert job(job_id).state == "done"
