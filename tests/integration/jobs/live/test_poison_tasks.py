"""Jobs that raise, hang and kill: each ends in the ledger, and never blocks the others (I6)."""

from __future__ import annotations

from collections.abc import Callable

from jobs.models import Job
from jobs.rescue import CRASH_LOOP_CAP
from tests.ledger import assert_marked_once, real_commits, wait_for_state, wait_until_done
from tests.probe.models import Burial, Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


NEVER_HEALS = [
    "permanent",
    "unknown",
    "system exit",
    "cancelled",
    "memory error",
    "ignore",
    "reject",
    "retry",
    "several arguments",
    "unpicklable",
    "unreadable",
    "not text",
]


def test_whatever_a_body_raises_ends_in_the_ledger_and_stops_no_worker(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    poison = {kind: enqueued("probe.fail", key=kind, kind=kind) for kind in NEVER_HEALS}
    good = [enqueued("probe.leave_a_mark", key=str(number)) for number in range(20)]
    wait_until_done(good)
    for kind, job_id in poison.items():
        dead = wait_for_state(job_id, "dead")
        assert (kind, dead.reason, dead.deliveries, dead.attempts) == (kind, "permanent error", 1, 0)
        assert dead.error
        assert "in fail" in dead.traceback
    assert sorted(Burial.objects.values_list("key", flat=True)) == sorted(NEVER_HEALS)
    assert all(worker.alive for worker in live.workers)
    # No process was lost over it: the same four children ran everything.
    assert Call.objects.values("worker_pid").distinct().count() <= 4
    assert Job.objects.filter(state="done").values("backend_pid").distinct().count() <= 4


def test_a_job_that_kills_its_worker_is_dead_after_the_cap_and_the_others_go_on(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    poison = enqueued("probe.kill_its_worker", key="poison")
    keys = [str(number) for number in range(40)]
    good = [enqueued("probe.call", key=key, seconds=0.02) for key in keys]
    dead = wait_for_state(poison, "dead", seconds=30)
    assert (dead.reason, dead.deliveries) == ("crash loop", CRASH_LOOP_CAP)
    assert Call.objects.filter(key="poison").count() == CRASH_LOOP_CAP
    assert [burial.key for burial in Burial.objects.all()] == ["poison"]
    wait_until_done(good)
    assert_marked_once(keys)
    assert all(worker.alive for worker in live.workers)


def test_a_job_that_orders_its_worker_to_stop_ends_one_process_and_is_brought_back(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    done = wait_for_state(enqueued("probe.fail", key="a", kind="worker shutdown", times=1), "done")
    assert (done.attempts, Call.objects.count()) == (0, 2)
    assert_marked_once(["a"])
    assert all(worker.alive for worker in live.workers)


def test_a_soft_time_limit_is_a_failed_attempt_and_a_failing_on_dead_changes_nothing_but_the_reason(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    dead = wait_for_state(enqueued("probe.hang", key="poison"), "dead")
    assert dead.reason == "attempts used up; its on_dead failed too: RuntimeError"
    assert "SoftTimeLimitExceeded" in dead.error
    assert Burial.objects.count() == 0
    assert Call.objects.count() == 1


def test_jobs_that_wait_for_their_next_attempt_hold_up_nobody(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    waiting = [enqueued("probe.fail_and_wait", key=f"waiting {number}") for number in range(100)]
    good = [enqueued("probe.leave_a_mark", key=f"good {number}") for number in range(20)]
    wait_until_done(good)
    wait_for(lambda: Job.objects.filter(pk__in=waiting, attempts=1, state="waiting").count() == 100)
