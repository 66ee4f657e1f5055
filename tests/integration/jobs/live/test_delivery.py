"""A job's way from the commit to its end, on real relays, workers and brokers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from structlog.contextvars import bound_contextvars

from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.ledger import (
    assert_marked_once,
    job,
    new_dead_letters,
    real_commits,
    state_of,
    wait_for_state,
    wait_until_done,
)
from tests.probe.models import Burial, Call, Mark
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_a_committed_job_is_done_once(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    keys = [f"mark {number}" for number in range(50)]
    wait_until_done([enqueued("probe.leave_a_mark", key=key) for key in keys])
    assert_marked_once(keys)


def test_a_rolled_back_job_never_runs(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    class ChangeOfMind(Exception):
        pass

    try:
        with transaction.atomic():
            enqueue(task="probe.leave_a_mark", args={"key": "never"})
            raise ChangeOfMind
    except ChangeOfMind:
        pass
    wait_for_state(enqueued("probe.leave_a_mark", key="afterwards"), "done")
    assert [mark.key for mark in Mark.objects.all()] == ["afterwards"]
    assert Job.objects.count() == 1


def test_a_job_waits_in_the_ledger_until_it_is_due(
    live: LiveSystem, enqueued: Callable[..., int], clock: Clock
) -> None:
    with transaction.atomic():
        later = enqueue(
            task="probe.leave_a_mark", args={"key": "later"}, available_at=database_now() + timedelta(hours=1)
        )
    wait_for_state(enqueued("probe.leave_a_mark", key="now"), "done")
    assert job(later).publish_number == 0
    clock.advance(timedelta(hours=1))
    wait_for_state(later, "done")


def test_a_transient_failure_is_tried_again_from_the_ledger(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    done = wait_for_state(enqueued("probe.fail", key="a", kind="transient", times=2), "done")
    assert (done.attempts, done.deliveries) == (2, 0)
    assert Call.objects.count() == 3
    assert Mark.objects.count() == 1


def test_a_rate_limited_job_uses_no_attempt(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    done = wait_for_state(enqueued("probe.fail", key="a", kind="rate limited", times=2), "done")
    assert (done.attempts, done.deliveries) == (0, 0)
    assert Call.objects.count() == 3
    assert Mark.objects.count() == 1


def test_a_retry_is_a_row_that_outlives_every_worker_and_the_broker(
    live: LiveSystem, enqueued: Callable[..., int], clock: Clock
) -> None:
    job_id = enqueued("probe.fail_and_wait", key="a")
    wait_for(lambda: job(job_id).attempts == 1, what="the first attempt fails")
    for worker in live.workers:
        worker.kill()
    waiting = job(job_id)
    assert (waiting.state, waiting.reason) == ("waiting", "will be tried again")
    assert waiting.available_at > database_now() + timedelta(minutes=4)
    assert "the provider is out" in waiting.error
    clock.advance(timedelta(minutes=5))
    live.put_right()
    wait_for_state(job_id, "done")
    assert_marked_once(["a"])


def test_a_job_that_never_succeeds_is_dead_after_its_attempts_and_the_domain_hears_of_it_once(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    dead = wait_for_state(enqueued("probe.fail", key="a", kind="transient"), "dead")
    assert dead.reason == "attempts used up"
    assert "the provider is out" in dead.error
    assert "TransientError" in dead.traceback
    assert Call.objects.count() == 3
    assert Burial.objects.count() == 1
    assert not new_dead_letters().exists()


def test_what_a_job_enqueues_follows_its_request_and_its_subject(live: LiveSystem) -> None:
    with bound_contextvars(correlation_id="request-1234"), transaction.atomic():
        first = enqueue(task="probe.start_another", args={"key": "a"}, subject="order:ABC")
    wait_until_done([first])
    wait_for(lambda: Job.objects.filter(state="done").count() == 2, what="the second job is done")
    assert set(Job.objects.values_list("correlation_id", "subject")) == {("request-1234", "order:ABC")}
    assert_marked_once(["a", "a, continued"])


def test_a_worker_keeps_its_database_session_from_job_to_job(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    wait_until_done([enqueued("probe.leave_a_mark", key=str(number)) for number in range(40)])
    children = 4  # two for each worker
    assert Job.objects.values("backend_pid", "backend_start").distinct().count() <= children


def test_a_message_for_an_unknown_task_goes_back_to_the_ledger(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    job_id = enqueued("probe.unknown_to_workers", key="a")
    wait_for(lambda: job(job_id).attempts == 1, what="it was put off")
    assert (state_of(job_id), job(job_id).reason) == ("waiting", "unknown task")
    assert not new_dead_letters().exists()
