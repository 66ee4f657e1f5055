"""The broker forgets everything: the ledger publishes it again, and nobody has to do anything (I2)."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from jobs.models import Job
from tests.fixtures_jobs import at_broker, messages_ready
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def test_a_purged_queue_loses_nothing(live: LiveSystem, live_broker: str, enqueued: Callable[..., int]) -> None:
    keys = [str(number) for number in range(60)]
    with transaction.atomic():  # together, so that the workers cannot keep up with whoever enqueues
        jobs = [enqueued("probe.call", key=key, seconds=0.1) for key in keys]
    wait_for(lambda: messages_ready(live_broker, "probe") > 0, what="messages wait at the broker")
    with at_broker(live_broker) as broker:
        broker.default_channel.queue_purge("probe")
    wait_until_done(jobs)
    assert_marked_once(keys)


def test_a_broker_that_lost_its_queues_too_is_used_again_without_help(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    keys = [str(number) for number in range(60)]
    with transaction.atomic():  # together, so that the workers cannot keep up with whoever enqueues
        jobs = [enqueued("probe.call", key=key, seconds=0.1) for key in keys]
    wait_for(lambda: messages_ready(live_broker, "probe") > 0, what="messages wait at the broker")
    _wipe(live_broker)
    wait_until_done(jobs, seconds=40)
    assert_marked_once(keys)
    before = {worker.pid for worker in live.workers}
    after = [enqueued("probe.call", key=f"after {number}", seconds=0.05) for number in range(20)]
    wait_until_done(after)
    assert {worker.pid for worker in live.workers if worker.alive} == before
    names = Job.objects.filter(pk__in=after).values_list("worker", flat=True)
    assert {name.partition("@")[0] for name in names} == {worker.name for worker in live.workers}


def _wipe(url: str) -> None:
    with at_broker(url) as broker:
        channel = broker.default_channel
        if url.startswith("amqp"):
            channel.queue_delete("probe")
        else:
            channel.client.flushdb()
