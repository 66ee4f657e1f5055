"""One run of one job, in this process: claim, body, outcome."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from celery import current_app
from celery.exceptions import Reject

from jobs import metrics
from jobs.clock import database_now
from jobs.errors import RateLimited, TransientError
from jobs.models import DeadLetter, Job
from jobs.session import Backend, engine_session
from jobs.worker.error_text import KEPT_TRACEBACK
from jobs.worker.execution import CRASH_LOOP_CAP, Outcome
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Call

pytestmark = real_commits


Work = Callable[[int], Outcome]


def test_a_claim_is_counted_before_the_body_runs(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    seen: list[Job] = []

    def body(*, key: str) -> None:
        seen.append(Job.objects.get())

    work(published(scratch_task(body), key="a"))
    (during,) = seen
    assert (during.state, during.deliveries, during.token, during.worker) == ("running", 1, 1, "here")
    assert during.lease_until is not None
    assert during.lease_until > database_now()
    assert engine_session("default") == Backend(during.backend_pid or 0, during.backend_start or database_now())


@pytest.mark.parametrize("state", ["waiting", "running", "done", "dead", "cancelled"])
def test_a_message_for_a_job_that_is_not_published_is_skipped_and_counted(
    state: str, published: Callable[..., int], work: Work
) -> None:
    job_id = published("probe.call", key="a")
    Job.objects.filter(pk=job_id).update(state=state)
    before = skipped(state)
    assert work(job_id) is Outcome.SETTLED
    assert skipped(state) == before + 1
    assert (state_of(job_id), job(job_id).token, Call.objects.count()) == (state, 0, 0)


def test_a_message_for_an_unknown_job_becomes_a_dead_letter_and_is_acknowledged(work: Work) -> None:
    current_app.tasks["probe.call"](12345, "default")
    assert DeadLetter.objects.get().reason == "unknown job"


def test_a_dead_job_rejects_its_message_so_that_it_passes_the_dead_letter_exchange(
    published: Callable[..., int], work: Work
) -> None:
    with pytest.raises(Reject) as rejection:
        current_app.tasks["probe.fail"](published("probe.fail", key="a", kind="permanent"), "default")
    assert rejection.value.requeue is False


def test_the_body_sees_the_attempts_of_the_row(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    seen: list[int] = []

    def body(self: object, *, key: str) -> None:
        seen.append(self.request.retries)  # type: ignore[attr-defined]

    job_id = published(scratch_task(body, bind=True), key="a")
    Job.objects.update(attempts=7)
    work(job_id)
    assert seen == [7]


def test_retry_raises_and_nothing_else_and_the_row_waits_as_long_as_it_asks(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(self: object, *, key: str) -> None:
        try:
            raise ValueError("not yet")
        except ValueError as error:
            self.retry(exc=error, countdown=1000)  # type: ignore[attr-defined]

    job_id = published(scratch_task(body, bind=True), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.error) == ("waiting", 1, "RetryRequested: ValueError: not yet")
    assert timedelta(seconds=990) < row.available_at - database_now() <= timedelta(seconds=1000)


def test_exceptions_that_the_task_names_are_tried_again_by_the_ledger_and_not_by_celery(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        raise LookupError("not there yet")

    job_id = published(scratch_task(body, autoretry_for=(LookupError,), retry_backoff=100, retry_jitter=False), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.error) == ("waiting", 1, "LookupError: not there yet")
    assert timedelta(seconds=90) < row.available_at - database_now() <= timedelta(seconds=100)


def test_a_retry_waits_a_random_part_of_a_doubling_time(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        raise TransientError

    job_id = published(scratch_task(body), key="a")
    Job.objects.update(attempts=5)
    work(job_id)
    assert timedelta(0) <= job(job_id).available_at - database_now() <= timedelta(seconds=32)


def test_a_rate_limit_keeps_the_attempts_and_resets_the_deliveries(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        raise RateLimited(retry_after=60)

    job_id = published(scratch_task(body), key="a")
    Job.objects.update(deliveries=3)
    work(job_id)
    row = job(job_id)
    assert (row.state, row.attempts, row.deliveries, row.reason) == ("waiting", 0, 0, "rate limited")
    assert timedelta(seconds=55) < row.available_at - database_now() <= timedelta(seconds=66)


def test_an_unknown_error_is_dead_at_once_with_its_traceback(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        raise KeyError("seat")

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.DEAD
    row = job(job_id)
    assert (row.state, row.reason, row.error) == ("dead", "permanent error", "KeyError: 'seat'")
    assert 'raise KeyError("seat")' in row.traceback


def test_a_claim_past_the_cap_is_buried_without_running(published: Callable[..., int], work: Work) -> None:
    job_id = published("probe.call", key="a")
    Job.objects.update(deliveries=CRASH_LOOP_CAP)
    assert work(job_id) is Outcome.DEAD
    assert (job(job_id).reason, Call.objects.count()) == ("crash loop", 0)


def test_a_fault_of_the_engine_itself_leaves_nothing_but_a_running_row(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(*, key: str) -> None:
        raise TransientError

    job_id = published(scratch_task(body), key="a")
    monkeypatch.setattr("jobs.worker.judge_failure.decide", lambda **_: 1 / 0)
    assert work(job_id) is Outcome.SETTLED
    assert state_of(job_id) == "running"


def test_a_deep_recursion_is_an_error_like_any_other(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        body(key=key)

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.DEAD
    assert len(job(job_id).traceback) <= KEPT_TRACEBACK


def skipped(reason: str) -> float:
    return metrics.SKIPPED.labels(reason=reason)._value.get()
