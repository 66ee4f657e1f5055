"""Relays and workers killed at every step: nothing is lost, and every effect happens once (I2, I3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs.models import Job
from jobs.queues import queue_named
from tests.failpoints import RELAY, WORKER, Failpoints
from tests.ledger import assert_marked_once, job, real_commits, wait_until_done
from tests.probe.models import Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


@pytest.mark.parametrize("point", WORKER)
def test_a_worker_child_killed_at_any_step_loses_and_repeats_nothing(
    point: str, live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    failpoints.arm(point, "kill")
    keys = [str(number) for number in range(20)]
    jobs = [enqueued("probe.call", key=key) for key in keys]
    wait_until_done(jobs)
    assert failpoints.passed_by(point)
    assert_marked_once(keys)
    assert Call.objects.count() <= len(keys) + 1  # at least once beyond the ledger: one call was repeated at most
    assert all(worker.alive for worker in live.workers)


@pytest.mark.parametrize("point", ["after the claim", "after the effect, before done", "after done, before its commit"])
def test_a_whole_worker_killed_with_messages_in_hand_loses_and_repeats_nothing(
    point: str, live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    failpoints.arm(point, "kill all")
    keys = [str(number) for number in range(40)]
    jobs = [enqueued("probe.call", key=key) for key in keys]
    wait_until_done(jobs)
    assert_marked_once(keys)
    assert [worker.alive for worker in live.workers].count(False) == 1


@pytest.mark.parametrize("point", RELAY)
def test_a_relay_killed_at_any_step_loses_and_repeats_nothing(
    point: str, live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    failpoints.arm(point, "kill all")
    keys = [str(number) for number in range(20)]
    jobs = [enqueued("probe.call", key=key) for key in keys]
    wait_for(lambda: not live.relay.alive, what="the relay is dead")
    assert Job.objects.exclude(state="done").exists() or point == "after publishing"
    live.put_right()
    wait_until_done(jobs)
    assert_marked_once(keys)
    assert Call.objects.count() == len(keys)


def test_a_worker_that_is_told_to_stop_ends_its_running_jobs_and_gives_the_others_back(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    keys = [str(number) for number in range(16)]
    jobs = [enqueued("probe.call", key=key, seconds=0.5) for key in keys]
    wait_for(lambda: Call.objects.count() >= 4, what="both workers are busy")
    assert live.workers[0].terminate() == 0
    wait_until_done(jobs, seconds=30)
    assert_marked_once(keys)
    assert Call.objects.count() == len(keys)


def test_a_relay_that_is_told_to_stop_ends_at_once(live: LiveSystem) -> None:
    assert live.relay.terminate(seconds=5) == 0


def test_a_job_whose_worker_is_gone_runs_again_long_before_its_lease_ends(
    live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    failpoints.arm("in the call", "kill")
    job_id = enqueued("probe.call", key="a")
    wait_until_done([job_id])
    assert_marked_once(["a"])
    assert Call.objects.count() == 2
    done = job(job_id)
    assert done.started_at is not None
    waited = (done.started_at - done.created_at).total_seconds()
    assert waited < queue_named("probe").lease_seconds
