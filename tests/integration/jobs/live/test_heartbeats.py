"""Workers and relays say that they live, on both brokers, and what they count is added up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from jobs.flow.heartbeats import heartbeats, is_alive
from jobs.models import Heartbeat
from jobs.queues import queue_named
from tests.fixtures_clock import Clock
from tests.ledger import real_commits, wait_for_state
from tests.processes import PROBE_QUEUES, LiveSystem, wait_for

pytestmark = real_commits


def names(kind: str = Heartbeat.Kind.WORKER) -> set[str]:
    return set(Heartbeat.objects.filter(kind=kind).values_list("name", flat=True))


def test_a_worker_that_stops_is_gone_at_once_and_one_that_is_killed_soon(
    live: LiveSystem, clock: Clock, enqueued: Callable[..., int]
) -> None:
    stopped, killed = live.workers
    expected = {f"{worker.name}@test" for worker in live.workers}
    wait_for(lambda: names() == expected and names(Heartbeat.Kind.RELAY), what="all have beaten")
    row = Heartbeat.objects.get(name=f"{stopped.name}@test")
    assert sorted(row.queues) == sorted(PROBE_QUEUES.split(","))
    assert (row.pool, row.concurrency, row.prefetch, row.running) == (queue_named("probe").pool, 2, 8, 0)

    stopped.terminate()
    assert names() == {f"{killed.name}@test"}
    killed.kill()
    clock.advance(timedelta(seconds=20))
    assert not any(is_alive(row) for row in heartbeats() if row.kind == Heartbeat.Kind.WORKER)

    job_id = enqueued("probe.leave_a_mark", key="1")
    wait_for_state(job_id, "published")
    live.put_right()
    done = wait_for_state(job_id, "done")
    its_worker = Heartbeat.objects.get(name=done.worker.partition(" ")[0])
    assert done.started_at is not None
    assert its_worker.started_at < done.started_at
