"""One run of one job, in this process: claim, body, outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from celery import current_app
from celery.exceptions import Reject
from django.db import OperationalError, ProgrammingError, connection, transaction

from jobs import metrics
from jobs.clock import database_now
from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.models import DeadLetter, Job
from jobs.record import record
from jobs.session import Backend, engine_session
from jobs.worker import stop_order
from jobs.worker.execution import CRASH_LOOP_CAP, KEPT_TRACEBACK, Outcome, run_job
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Call, Mark

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


def end_own_session() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_a_lost_session_postpones_the_job_without_an_attempt(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            end_own_session()

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.reason) == ("waiting", 0, "the ledger's connection was lost")
    assert Mark.objects.count() == 0


def test_a_job_that_loses_its_session_each_time_ends_as_a_crash_loop(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    """A query that kills its backend would otherwise do so for ever."""

    def body(*, key: str) -> None:
        end_own_session()

    job_id = published(scratch_task(body), key="a")
    for deliveries in range(1, CRASH_LOOP_CAP + 1):
        assert work(job_id) is Outcome.SETTLED
        assert job(job_id).deliveries == deliveries
        Job.objects.update(state="published")
    assert work(job_id) is Outcome.DEAD
    assert job(job_id).reason == "crash loop"


def test_a_session_lost_before_the_claim_is_opened_again(published: Callable[..., int], work: Work) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    pid = engine_session("default").pid
    with pytest.raises(OperationalError):
        end_own_session()
    task = current_app.tasks["probe.leave_a_mark"]
    assert run_job(task, job_id=job_id, using="default", worker="here") is Outcome.SETTLED
    assert (state_of(job_id), Mark.objects.count()) == ("done", 1)
    assert engine_session("default").pid != pid


def test_a_transaction_that_a_body_left_open_swallows_neither_its_outcome_nor_the_next_job(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    """As when a time limit strikes between the steps with which Django leaves a block."""

    def body(*, key: str) -> None:
        transaction.atomic().__enter__()
        Mark.objects.create(key=key)
        raise TransientError

    broken, good = published(scratch_task(body), key="a"), published("probe.leave_a_mark", key="b")
    work(broken)
    work(good)
    connection.close()  # what was not committed is gone
    assert (state_of(broken), state_of(good)) == ("waiting", "done")
    assert [mark.key for mark in Mark.objects.all()] == ["b"]


def test_a_body_that_opens_a_transaction_by_hand_and_returns_is_not_done_by_accident(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
        Mark.objects.create(key=key)

    job_id = published(scratch_task(body), key="a")
    work(job_id)
    connection.close()
    assert (state_of(job_id) == "done") == (Mark.objects.count() == 1)


def test_a_fault_of_the_engine_itself_leaves_nothing_but_a_running_row(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(*, key: str) -> None:
        raise TransientError

    job_id = published(scratch_task(body), key="a")
    monkeypatch.setattr("jobs.worker.execution.decide", lambda **_: 1 / 0)
    assert work(job_id) is Outcome.SETTLED
    assert state_of(job_id) == "running"


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


def test_a_deep_recursion_is_an_error_like_any_other(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        body(key=key)

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.DEAD
    assert len(job(job_id).traceback) <= KEPT_TRACEBACK


def test_the_session_of_a_worker_lets_no_lock_outlive_a_lease(published: Callable[..., int], work: Work) -> None:
    published("probe.call", key="a")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval),"
            " extract(epoch FROM current_setting('lock_timeout')::interval), current_setting('synchronous_commit')"
        )
        idle, lock, commit = cursor.fetchone()
    assert 0 < lock < idle < 4
    assert commit == "off"


def skipped(reason: str) -> float:
    return metrics.SKIPPED.labels(reason=reason)._value.get()
