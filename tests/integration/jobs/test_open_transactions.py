"""Somebody enqueues in a transaction that stays open: his keys wait for him, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import connection, transaction

from jobs import gates, transitions
from jobs.claim import Claim
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.rescue import rescue_runs
from jobs.session import engine_session
from tests.ledger import real_commits, state_of
from tests.processes import wait_for_end

pytestmark = real_commits

TASK = "probe.leave_a_mark"
LONG_SECONDS = 10
"""How long the session of these tests waits for a lock, as the engine's do in production."""
SOON_SECONDS = 3


@contextmanager
def open_transaction_that_enqueues(**keys: str) -> Iterator[None]:
    """A session of its own that has enqueued and does not commit before the block is left."""
    enqueued, leave = Event(), Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                enqueue(task=TASK, args={"key": "open"}, **keys)
                enqueued.set()
                leave.wait(3 * LONG_SECONDS)
        finally:
            connection.close()

    thread = Thread(target=hold)
    thread.start()
    try:
        assert enqueued.wait(10)
        yield
    finally:
        leave.set()
        wait_for_end(thread)


@contextmanager
def soon() -> Iterator[None]:
    engine_session("default")
    connection.cursor().execute(f"SET lock_timeout = '{LONG_SECONDS}s'")
    started = time.monotonic()
    yield
    assert time.monotonic() - started < SOON_SECONDS


def test_the_relay_does_not_wait_for_who_has_joined_the_next_job_of_a_key() -> None:
    with transaction.atomic():
        first = enqueue(task=TASK, args={"key": "a"}, ordering_key="order")
        second = enqueue(task=TASK, args={"key": "b"}, ordering_key="order", unique_key="joined")
    engine_session("default")
    with open_transaction_that_enqueues(unique_key="joined"):
        with soon():
            assert transitions.cancel(using="default", job_id=first, generation=0, reason="not wanted")
            assert gates.open_stuck(using="default") == 0
    assert gates.open_stuck(using="default") == 1
    assert Job.objects.get(pk=second).gate == "ready"
    connection.close()


def test_what_the_broker_refused_is_taken_back_beside_a_job_that_somebody_has_joined() -> None:
    with transaction.atomic():
        joined = enqueue(task=TASK, args={"key": "a"}, unique_key="joined")
        other = enqueue(task=TASK, args={"key": "b"})
    engine_session("default")
    messages = transitions.mark_due(using="default", queue="probe", window=10, batch=10).messages
    with open_transaction_that_enqueues(unique_key="joined"), soon():
        assert transitions.take_back(using="default", messages=messages, reason="refused") == 1
    assert (state_of(joined), state_of(other)) == ("published", "waiting")
    assert transitions.take_back(using="default", messages=messages, reason="refused") == 1
    connection.close()


def test_a_run_whose_unique_key_somebody_is_enqueueing_holds_up_no_rescue(claimed: Callable[..., Claim]) -> None:
    stuck, other = claimed(key="stuck"), claimed(key="other")
    Job.objects.filter(pk=stuck.job_id).update(unique_key="joined", backend_pid=1)
    Job.objects.filter(pk=other.job_id).update(backend_pid=1)
    with open_transaction_that_enqueues(unique_key="joined"), soon():
        assert rescue_runs(using="default") == 1
    assert (state_of(stuck.job_id), state_of(other.job_id)) == ("running", "waiting")
    rescue_runs(using="default")
    assert state_of(stuck.job_id) == "cancelled"
    connection.close()
