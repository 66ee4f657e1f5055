"""A run that a time limit or a stopping worker interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import ProgrammingError

from jobs.clock import database_now
from jobs.errors import PermanentError
from jobs.models import Job
from jobs.record import record
from jobs.worker import stop_order
from jobs.worker.execution import CRASH_LOOP_CAP, Outcome
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Call, Mark

pytestmark = real_commits


Work = Callable[[int], Outcome]


@pytest.fixture
def tell_to_stop() -> Iterator[Callable[[], None]]:
    """What the worker's main process does by a signal."""
    yield stop_order._hear
    stop_order._Child.ordered = False


def test_a_run_that_is_told_to_stop_hands_its_job_back_as_if_it_had_never_started(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, tell_to_stop: Callable[[], None]
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            tell_to_stop()

    job_id = published(scratch_task(body), key="a")
    Job.objects.update(deliveries=CRASH_LOOP_CAP - 1, attempts=3)
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.deliveries, row.reason) == ("waiting", 3, 0, "worker stopped")
    assert row.available_at <= database_now()
    assert Mark.objects.count() == 0


def test_a_worker_that_was_told_to_stop_before_the_claim_starts_no_body(
    published: Callable[..., int], work: Work, tell_to_stop: Callable[[], None]
) -> None:
    job_id = published("probe.call", key="a")
    tell_to_stop()
    assert work(job_id) is Outcome.SETTLED
    assert (state_of(job_id), Call.objects.count()) == ("waiting", 0)


@pytest.mark.parametrize(
    ("interruption", "attempts"), [(SoftTimeLimitExceeded(), 1), (stop_order.StopOrdered(), 0)], ids=["limit", "stop"]
)
def test_an_interruption_that_strikes_in_djangos_own_rollback_does_not_look_like_a_fault_of_the_job(
    interruption: BaseException,
    attempts: int,
    scratch_task: Callable[..., str],
    published: Callable[..., int],
    work: Work,
) -> None:
    def body(*, key: str) -> None:
        try:
            raise interruption
        finally:
            raise ProgrammingError("can't change 'autocommit' now")

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    assert (state_of(job_id), job(job_id).attempts) == ("waiting", attempts)


def test_a_bodys_own_answer_to_a_time_limit_counts(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        try:
            raise SoftTimeLimitExceeded
        except SoftTimeLimitExceeded:
            raise PermanentError("it will never be faster") from None

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.DEAD
