"""Runs over dead jobs by real relays and workers: whatever is killed in between, each job starts over once."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db import transaction

from jobs.dead.run import start_run, stop_run
from jobs.dead.selection import Filter
from jobs.models import DeadRun, Job, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.processes import LiveSystem, wait_for
from tests.waiting_sessions import somebody_waits_for_us

pytestmark = real_commits

RUNS = "default"
"""The queue that carries runs."""


def begin(**given: Any) -> int:
    run_id = start_run(
        action=DeadRun.Action.REPLAY, chosen=Filter(queue="probe"), number=uuid4(), by="anna", reason="mended", **given
    )
    assert run_id is not None
    return run_id


def is_over(run_id: int) -> bool:
    return DeadRun.objects.get(pk=run_id).state != DeadRun.State.RUNNING


def test_two_runs_over_the_same_jobs_whose_worker_is_killed_in_a_batch_replay_each_once(
    live: LiveSystem, dead_jobs: DeadJobs
) -> None:
    dead, keys = dead_jobs(260), [f"dead {number}" for number in range(260)]
    first, second = begin(), begin()
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=dead[230].pk)  # of the second batch, half of which is changed by then
        worker = live.start_worker(queues=RUNS)
        wait_for(somebody_waits_for_us, what="a batch is half done")
        worker.kill()
        wait_for(lambda: not somebody_waits_for_us(), what="its session is gone")
    live.start_worker(queues=RUNS)
    wait_for(lambda: is_over(first) and is_over(second), seconds=60, what="both runs are over")
    runs = list(DeadRun.objects.all())
    assert [run.state for run in runs] == ["done", "done"]
    assert sum(run.changed for run in runs) == StaffAction.objects.filter(action="replay").count() == 260
    assert set(Job.objects.filter(queue="probe").values_list("generation", flat=True)) == {1}
    wait_until_done([job.pk for job in dead], seconds=60)
    assert_marked_once(keys)


def test_a_paced_run_that_is_stopped_leaves_the_rest_dead(live: LiveSystem, dead_jobs: DeadJobs) -> None:
    dead = dead_jobs(150)
    live.start_worker(queues=RUNS)
    run_id = begin(rate=20)
    wait_for(lambda: DeadRun.objects.get(pk=run_id).changed, what="its first batch is done")
    assert stop_run(run_id=run_id, by="otto")
    ended = DeadRun.objects.get(pk=run_id)
    assert (ended.state, ended.changed) == ("stopped", 100)
    left = Job.objects.filter(state="dead").order_by("pk")
    assert list(left.values_list("pk", flat=True)) == [job.pk for job in dead[100:]]
