"""A rolling restart under load loses nothing, calls no provider twice, and does not kill the job that outlasts it."""

from __future__ import annotations

import os
import signal

from django.db import transaction

from jobs.enqueue import enqueue
from jobs.failures.retry import CRASH_LOOP_CAP
from jobs.models import Job
from tests.ledger import assert_marked_once, job, real_commits, wait_until_done
from tests.probe.models import Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_workers_that_are_replaced_in_turn_lose_and_repeat_nothing_however_often_one_long_job_is_met(
    live: LiveSystem,
) -> None:
    live.workers += [live.start_worker(wait=False) for _ in range(CRASH_LOOP_CAP - 1)]
    for worker in live.workers:
        worker.wait_until_ready()
    keys = [str(number) for number in range(200)]
    with transaction.atomic():
        long = enqueue(task="probe.take_long", args={"key": "long", "seconds": 25, "times": CRASH_LOOP_CAP})
        jobs = [enqueue(task="probe.call", args={"key": key, "seconds": 0.2}) for key in keys]

    long_calls = Call.objects.filter(key="long")
    for stops in range(CRASH_LOOP_CAP):
        wait_for(lambda stops=stops: long_calls.count() == stops + 1, what="the long job runs")
        assert (job(long).deliveries, job(long).attempts) == (1, 0)
        worker = live.worker_of(long_calls.latest("id").worker_pid)
        # To the whole group, as systemd does: the children are not to die of it.
        os.killpg(worker.pid, signal.SIGTERM)
        wait_for(lambda worker=worker: not worker.alive, seconds=5, what="it has left")
        assert worker.terminate() == 0
        assert stops > 1 or Job.objects.exclude(state="done").count() > 1  # the load has not ended yet

    wait_until_done([long, *jobs], seconds=90)  # one worker is left, and has all the rest to do
    assert_marked_once(["long", *keys])
    assert Call.objects.exclude(key="long").count() == len(keys)
    assert long_calls.count() == CRASH_LOOP_CAP + 1
