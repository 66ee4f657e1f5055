"""A job that kills its process must not take its neighbours along again and again, until they count as dead (I6)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections

from jobs import transitions
from jobs.claim import Claim
from jobs.models import Job
from jobs.queues import queue_named
from jobs.session import engine_session
from jobs.worker import suspects
from jobs.worker.execution import AFTER_A_CRASH
from tests.ledger import job, real_commits
from tests.processes import wait_for_end

pytestmark = real_commits

CRASHES = 3


@pytest.fixture
def crashed(published: Callable[..., int]) -> Callable[..., int]:
    """A published job whose process was killed three times."""

    def publish(task: str, **args: object) -> int:
        job_id = published(task, **args)
        Job.objects.filter(pk=job_id).update(deliveries=CRASHES)
        return job_id

    return publish


def in_a_thread(run: Callable[[], object]) -> None:
    def work() -> None:
        try:
            run()
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def test_of_jobs_that_came_back_from_a_crash_one_at_a_time_runs_and_the_others_are_not_counted(
    scratch_task: Callable[..., str],
    crashed: Callable[..., int],
    published: Callable[..., int],
    work: Callable[[int], object],
) -> None:
    neighbour, fresh = crashed("probe.leave_a_mark", key="neighbour"), published("probe.leave_a_mark", key="fresh")

    def body(*, key: str) -> None:
        in_a_thread(lambda: work(neighbour))
        in_a_thread(lambda: work(fresh))

    work(crashed(scratch_task(body), key="first"))
    stood_aside = job(neighbour)
    assert (stood_aside.state, stood_aside.reason) == ("waiting", AFTER_A_CRASH)
    assert (stood_aside.deliveries, stood_aside.attempts, stood_aside.gate) == (CRASHES, 0, "later")
    assert job(fresh).state == "done"

    Job.objects.filter(pk=neighbour).update(state="published")
    work(neighbour)
    assert job(neighbour).state == "done"


def test_one_that_hangs_past_its_lease_holds_up_the_others_no_longer(crashed: Callable[..., int]) -> None:
    first, second = (claim_of(crashed("probe.leave_a_mark", key=key)) for key in "ab")
    with suspects.alone(first, longest=0) as may_run, suspects.alone(second, longest=60) as may_run_too:
        assert (may_run, may_run_too) == (True, True)
    with suspects.alone(first, longest=60) as may_run, suspects.alone(second, longest=60) as may_run_too:
        assert (may_run, may_run_too) == (True, False)


def test_one_that_came_back_begins_when_those_that_came_with_it_have_stood_aside(crashed: Callable[..., int]) -> None:
    first = claim_of(crashed("probe.leave_a_mark", key="a"))
    claims, stood_aside, began = threading.Event(), threading.Event(), threading.Event()

    def neighbour() -> None:
        suspects.note_claim()
        claims.set()
        began.wait(0.3)
        stood_aside.set()
        suspects.forget_claim()

    thread = threading.Thread(target=neighbour)
    thread.start()
    assert claims.wait(5)
    with suspects.alone(first, longest=60) as may_run:
        began.set()
        assert may_run
        assert stood_aside.is_set()
    wait_for_end(thread)


def test_one_that_came_back_does_not_wait_for_a_claim_that_hangs(crashed: Callable[..., int]) -> None:
    first = claim_of(crashed("probe.leave_a_mark", key="a"))
    claims, ends = threading.Event(), threading.Event()

    def neighbour() -> None:
        suspects.note_claim()
        claims.set()
        ends.wait(20)
        suspects.forget_claim()

    thread = threading.Thread(target=neighbour)
    thread.start()
    assert claims.wait(5)
    with suspects.alone(first, longest=60) as may_run:
        assert may_run
    ends.set()
    wait_for_end(thread)


def test_who_stands_aside_for_one_that_takes_long_asks_less_often(
    crashed: Callable[..., int], work: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, neighbour = claim_of(crashed("probe.leave_a_mark", key="a")), crashed("probe.leave_a_mark", key="b")
    with suspects.alone(first, longest=60) as may_run:
        assert may_run
        monkeypatch.setattr(suspects._Place, "since", suspects._Place.since - 30)
        in_a_thread(lambda: work(neighbour))
    stood_aside = job(neighbour)
    assert stood_aside.reason == AFTER_A_CRASH
    assert stood_aside.available_at - stood_aside.started_at > timedelta(seconds=4)


def claim_of(job_id: int) -> Claim:
    claim = transitions.claim(
        using="default",
        job_id=job_id,
        task="probe.leave_a_mark",
        worker="here",
        backend=engine_session("default"),
        lease_seconds=queue_named("probe").lease_seconds,
        durable=False,
    )
    assert claim is not None
    return claim
