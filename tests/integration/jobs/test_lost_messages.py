"""Messages and queues that the broker has lost, as the relay notices it."""

from __future__ import annotations

from jobs.broker import topology
from jobs.models import Job
from jobs.relay.loop import Relay
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import at_broker, messages_ready
from tests.fixtures_relay import HORIZON, enqueue_many
from tests.ledger import real_commits
from tests.processes import wait_for

pytestmark = real_commits


def test_messages_that_the_broker_lost_are_published_again_after_the_horizon(
    relay_here: Relay, broker_here: str, clock: Clock
) -> None:
    enqueue_many(20)
    relay_here.run_once()
    with at_broker(broker_here) as broker:
        broker.default_channel.queue_purge("probe")
    assert relay_here.run_once() == 0  # too early to tell
    clock.advance(HORIZON)
    assert relay_here.run_once() == 20
    assert messages_ready(broker_here, "probe") == 20


def test_only_as_many_jobs_as_messages_are_missing_are_published_again(
    relay_here: Relay, broker_here: str, clock: Clock
) -> None:
    enqueue_many(20)
    relay_here.run_once()
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        for _ in range(5):
            message = channel.basic_get("probe", no_ack=True)
            assert message is not None
    clock.advance(HORIZON)
    assert relay_here.run_once() == 5
    assert messages_ready(broker_here, "probe") == 20


def test_queues_that_were_deleted_are_declared_again(relay_here: Relay, broker_here: str, clock: Clock) -> None:
    enqueue_many(5)
    relay_here.run_once()
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        for queue in ("probe", "default", topology.DEAD_LETTERS):
            channel.queue_delete(queue)
    clock.advance(HORIZON)
    enqueue_many(5)

    def all_published() -> bool:
        relay_here.run_once()
        return not Job.objects.filter(state="waiting").exists()

    wait_for(all_published, what="the relay declared the queues again")
    assert messages_ready(broker_here, "probe") == 10
    assert Job.objects.filter(state="published").count() == 10
