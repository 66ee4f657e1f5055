"""Workers that are told to stop: what runs ends or is handed back at once, and nothing is counted against it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from tests.ledger import assert_marked_once, real_commits, wait_for_state
from tests.probe.models import Call
from tests.processes import LiveSystem, Process, wait_for

pytestmark = real_commits


def tell(worker: Process, *orders: signal.Signals) -> None:
    for order in orders:
        os.kill(worker.pid, order)
        time.sleep(0.05)  # two signals of a kind that are pending at once are one


def seconds_until_gone(worker: Process) -> float:
    started = time.monotonic()
    wait_for(lambda: not worker.alive, what="it has left")
    return time.monotonic() - started


def calls(key: str) -> int:
    return Call.objects.filter(key=key).count()


def test_a_long_job_is_handed_back_when_the_time_is_over_and_a_worker_without_work_leaves_at_once(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.take_long", key="long", seconds=25, times=1)
    wait_for(lambda: calls("long") == 1, what="it runs")
    worker = live.worker_of(Call.objects.get().worker_pid)
    tell(worker, signal.SIGTERM)
    assert 1 < seconds_until_gone(worker) < 2
    done = wait_for_state(job_id, "done", seconds=2)
    assert (done.attempts, done.token, calls("long")) == (0, 2, 2)
    assert any("job_handed_back" in line for line in worker.output)
    assert live.rescues() == []
    assert_marked_once(["long"])
    (idle,) = [worker for worker in live.workers if worker.alive]
    tell(idle, signal.SIGINT)
    assert seconds_until_gone(idle) < 1
    assert [worker.terminate() for worker in live.workers] == [0, 0]


def test_a_second_order_hurries_and_a_body_that_heeds_none_is_killed_and_its_job_handed_back_all_the_same(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.ignore_the_order_to_stop", key="stubborn")
    wait_for(lambda: calls("stubborn") == 1, what="it runs")
    worker = live.worker_of(Call.objects.get().worker_pid)
    tell(worker, signal.SIGTERM, signal.SIGQUIT, signal.SIGTERM)
    assert seconds_until_gone(worker) < 5
    done = wait_for_state(job_id, "done", seconds=2)
    assert (done.attempts, done.token) == (0, 2)
    assert live.rescues() == []
    assert_marked_once(["stubborn"])


def test_a_hangup_lets_a_worker_start_over_in_its_process_but_not_when_it_was_told_to_stop(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.call", key="short", seconds=0.5)
    wait_for(lambda: calls("short") == 1, what="it runs")
    worker = live.worker_of(Call.objects.get().worker_pid)
    starts = sum(worker.ready in line for line in worker.output)
    os.killpg(worker.pid, signal.SIGHUP)  # to its children, too, as a terminal does it
    wait_for(lambda: sum(worker.ready in line for line in worker.output) > starts, what="it is ready again")
    assert wait_for_state(job_id, "done", seconds=2).token == 1
    tell(worker, signal.SIGTERM, signal.SIGHUP)
    seconds_until_gone(worker)
    assert worker.terminate() == 0
