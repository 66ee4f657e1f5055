"""A hard time limit kills the process, and ends in the ledger like any failure."""

from __future__ import annotations

import os
from collections.abc import Callable

from billiard.pool import SIG_SOFT_TIMEOUT

from tests.ledger import assert_marked_once, job, real_commits, wait_for_state, wait_until_done
from tests.probe.models import Burial, Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_a_hard_time_limit_uses_up_an_attempt_and_after_the_last_one_the_job_is_dead(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    once = enqueued("probe.ignore_the_time_limit", key="once", times=1)
    always = enqueued("probe.outlast_every_time_limit", key="always")

    wait_for(lambda: job(once).attempts == 1, what="the attempt is used up")
    failed = job(once)
    assert (failed.deliveries, failed.token) == (0, 1)
    assert failed.error == "TimeLimitExceeded: the job ran longer than 3 s, and its process was killed."

    dead = wait_for_state(always, "dead", seconds=2)
    assert (dead.reason, dead.error) == ("attempts used up", failed.error)
    assert [burial.key for burial in Burial.objects.all()] == ["always"]

    done = wait_for_state(once, "done")
    assert (done.attempts, done.token) == (1, 2)
    assert_marked_once(["once"])
    assert Call.objects.values("worker_pid").distinct().count() == 3  # whose limit struck has gone
    assert all(worker.alive for worker in live.workers)
    assert live.rescues() == []


def test_a_soft_limit_that_strikes_after_its_run_does_not_cost_the_worker_a_child(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    """A main process that was looking for its broker meanwhile tells its children late."""
    first = enqueued("probe.call", key="first")
    wait_until_done([first])
    child = Call.objects.get().worker_pid
    os.kill(child, SIG_SOFT_TIMEOUT)

    def runs_another() -> bool:
        # So many at a time that every child is needed.
        wait_until_done([enqueued("probe.call", key="another", seconds=0.1) for _ in range(8)])
        return Call.objects.filter(worker_pid=child).count() > 1

    wait_for(runs_another, what="the same child runs another job")
