"""A rolling restart under load loses nothing and repeats nothing: no provider is called twice."""

from __future__ import annotations

import os
import signal

from django.db import transaction

from jobs.enqueue import enqueue
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.probe.models import Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_two_workers_that_are_replaced_twice_in_turn_lose_and_repeat_nothing(
    live: LiveSystem,
) -> None:
    replacements = [live.start_worker(wait=False) for _ in range(4)]
    for worker in replacements:
        worker.wait_until_ready()
    old = [*live.workers, *replacements[:2]]
    keys = [str(number) for number in range(300)]
    with transaction.atomic():
        jobs = [enqueue(task="probe.call", args={"key": key, "seconds": 0.05}) for key in keys]
    for number, worker in enumerate(old, start=1):
        wait_for(lambda number=number: Call.objects.count() >= number * len(keys) // 6, what="they are at work")
        # To the whole group, as systemd does: the children are not to die of it.
        os.killpg(worker.pid, signal.SIGTERM)
        wait_for(lambda worker=worker: not worker.alive, what="it has left")
        assert worker.terminate() == 0
    assert Call.objects.count() < len(keys)  # the load did not end before the restarts
    wait_until_done(jobs)
    assert_marked_once(keys)
    assert Call.objects.count() == len(keys)
