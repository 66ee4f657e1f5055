"""A worker that is paused past its lease: its job runs elsewhere, and what it does late changes nothing (I3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs.models import Job
from tests.failpoints import Failpoints
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.probe.models import Mark, SharedRow
from tests.processes import LiveSystem, Process, wait_for

pytestmark = real_commits


def test_the_late_record_of_a_paused_worker_is_refused(
    live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    failpoints.arm("in the call", "pause all")
    job_id = enqueued("probe.call", key="a")
    wait_until_done([job_id], seconds=30)
    paused = _paused_worker(live, failpoints, "in the call")
    assert_marked_once(["a"])
    recorded = Job.objects.filter(pk=job_id).values().get()
    paused.resume()
    paused.wait_for_output("lease_lost")
    assert_marked_once(["a"])
    assert Job.objects.filter(pk=job_id).values().get() == recorded


@pytest.mark.parametrize("point", ["after the effect, before done", "after done, before its commit"])
def test_the_open_transaction_of_a_paused_worker_cannot_block_the_run_that_replaces_it(
    point: str, live: LiveSystem, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    """It holds locks on a row that the second run writes too, and at the later point on the job's own row."""
    failpoints.arm(point, "pause all")
    job_id = enqueued("probe.write_a_shared_row", key="a")
    wait_for(lambda: failpoints.passed_by(point), what="the worker is paused")
    others = [enqueued("probe.leave_a_mark", key=f"other {number}") for number in range(20)]
    wait_until_done([job_id, *others], seconds=30)
    assert Mark.objects.filter(key="a").count() == 1
    _paused_worker(live, failpoints, point).resume()
    wait_until_done([enqueued("probe.leave_a_mark", key=f"after {number}") for number in range(20)])
    assert Mark.objects.filter(key="a").count() == 1
    assert SharedRow.objects.count() == 1


def _paused_worker(live: LiveSystem, failpoints: Failpoints, point: str) -> Process:
    child = failpoints.passed_by(point)
    assert child is not None
    return live.worker_of(child)
