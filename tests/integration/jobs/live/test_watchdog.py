"""Workers that live and do not hear: they notice it themselves, and nobody has to restart them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from django.conf import settings

from jobs.broker import topology
from jobs.models import Job
from jobs.queues import queue_named
from jobs.worker.watchdog import LOOKS
from tests.failpoints import Failpoints
from tests.fixtures_jobs import at_broker
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.probe import deafness
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def names_of_workers(job_ids: Collection[int]) -> set[str]:
    names = Job.objects.filter(pk__in=job_ids).values_list("worker", flat=True)
    return {name.partition("@")[0] for name in names}


def count_lines(live: LiveSystem, text: str) -> int:
    return sum(text in line for worker in live.workers for line in worker.output)


def deafen(url: str, failpoints: Failpoints, *, workers: int) -> None:
    """Make the workers deaf for real."""
    if url.startswith("amqp"):
        # RabbitMQ never cancels the consumers of a quorum queue that is declared anew at once. It takes them for alive
        # and gives them as many messages as they may have, so the tests send more than that.
        (queue,) = topology.work_queues([queue_named("probe")])
        with at_broker(url) as broker:
            broker.default_channel.queue_delete("probe")
            queue(broker.default_channel).declare()
    else:
        deafness.arm(failpoints.folder, "channel", workers=workers)
        wait_for(lambda: not deafness.armed(failpoints.folder, "channel"), what="they are deaf")


def test_workers_that_do_not_hear_their_messages_connect_anew(
    live: LiveSystem, live_broker: str, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    pids = [worker.pid for worker in live.workers]
    deafen(live_broker, failpoints, workers=2)
    keys = [str(number) for number in range(100)]
    jobs = [enqueued("probe.call", key=key, seconds=0.1) for key in keys]
    wait_until_done(jobs)
    assert_marked_once(keys)
    assert names_of_workers(jobs) == {worker.name for worker in live.workers}
    assert count_lines(live, "consumer_is_deaf") >= 2
    assert count_lines(live, "worker_is_deaf") == 0
    assert [worker.pid for worker in live.workers if worker.alive] == pids


def test_a_worker_that_stays_deaf_starts_over_in_its_process(
    live: LiveSystem, live_broker: str, failpoints: Failpoints, enqueued: Callable[..., int]
) -> None:
    live.workers[1].terminate()
    worker = live.workers[0]
    deafness.arm(failpoints.folder, "process", workers=1)
    deafen(live_broker, failpoints, workers=1)
    keys = [str(number) for number in range(20)]
    jobs = [enqueued("probe.call", key=key) for key in keys]
    wait_until_done(jobs, seconds=40)
    assert_marked_once(keys)
    assert worker.alive
    assert count_lines(live, "worker_is_deaf") == 1
    assert sum(" ready." in line for line in worker.output) == 2


def test_workers_that_are_busy_or_were_paused_are_not_taken_for_deaf(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    seen = count_lines(live, "is_deaf")
    jobs = [enqueued("probe.take_long", key=str(number), seconds=1) for number in range(12)]
    wait_for(lambda: Job.objects.filter(state="running").count() == 4, what="both workers are busy")
    paused_at = time.monotonic()
    for worker in live.workers:
        worker.pause()
    wait_for(lambda: time.monotonic() - paused_at > (LOOKS + 2) * settings.LEDGER_WATCHDOG_SECONDS)
    for worker in live.workers:
        worker.resume()
    wait_until_done(jobs)
    assert count_lines(live, "is_deaf") == seen
