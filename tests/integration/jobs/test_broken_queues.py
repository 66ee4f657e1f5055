"""A queue that cannot be used as it is holds up nobody but itself: no relay, no worker, no other queue (I6)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from jobs import metrics
from jobs.broker import amqp, faults, redis, topology
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.queues import queue_named
from jobs.relay.loop import Relay
from tests.fixtures_jobs import at_broker, messages_ready
from tests.fixtures_relay import enqueue_many
from tests.ledger import assert_marked_once, real_commits, state_of, wait_until_done
from tests.processes import System, wait_for

pytestmark = real_commits


class Breakable:
    """The probe's queue at the broker, which something else can take the place of."""

    def __init__(self, url: str) -> None:
        self.url = url

    def break_it(self) -> None:
        self._delete()
        with at_broker(self.url) as broker:
            if self.url.startswith("amqp"):
                broker.default_channel.queue_declare("probe", durable=True, auto_delete=False)
            else:
                broker.default_channel.client.set("probe", "no list")

    def mend(self) -> None:
        """What the log says: delete it. Whoever needs it declares it again."""
        self._delete()

    def _delete(self) -> None:
        with at_broker(self.url) as broker:
            if self.url.startswith("amqp"):
                broker.default_channel.queue_delete("probe")
            else:
                broker.default_channel.client.delete("probe")


@pytest.fixture
def probe_queue(broker: str) -> Iterator[Breakable]:
    queue = Breakable(broker)
    yield queue
    queue.mend()
    faults._known.clear()
    metrics.UNUSABLE.labels(queue="probe").set(0)


@pytest.fixture
def looks_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (amqp, redis):
        monkeypatch.setattr(module, "LOOK_AGAIN_SECONDS", 0.05)


def enqueue_elsewhere(count: int) -> list[int]:
    """Jobs of the probe's tasks that go through another queue."""
    with transaction.atomic():
        jobs = [enqueue(task="probe.leave_a_mark", args={"key": f"elsewhere {nth}"}) for nth in range(count)]
        Job.objects.filter(pk__in=jobs).update(queue="default")
    return jobs


def test_a_broken_queue_holds_up_no_other_and_burns_no_mark_of_its_own(
    probe_queue: Breakable, broker_here: str, relay_here: Relay
) -> None:
    probe_queue.break_it()
    held_up, others = enqueue_many(5), enqueue_elsewhere(5)
    assert relay_here.run_once() == 5
    assert relay_here.run_once() == 0
    assert set(Job.objects.filter(pk__in=others).values_list("state", flat=True)) == {"published"}
    assert set(Job.objects.filter(pk__in=held_up).values_list("state", "publish_number")) == {("waiting", 0)}
    assert messages_ready(broker_here, "default") == 5


def test_a_broken_queue_is_named_once_with_what_to_do_and_counted_until_it_is_mended(
    probe_queue: Breakable, relay_here: Relay, looks_again_soon: None, caplog: pytest.LogCaptureFixture
) -> None:
    probe_queue.break_it()
    unusable = metrics.UNUSABLE.labels(queue="probe")
    for _ in range(3):
        enqueue_elsewhere(1)
        relay_here.run_once()
        relay_here._let_go()  # as after an outage
    said = [str(record.msg) for record in caplog.records if "queue_unusable" in str(record.msg)]
    assert len(said) == 1
    assert "'queue': 'probe'" in said[0]
    assert (topology.DELETE_QUEUE in said[0]) or (topology.DELETE_KEY in said[0])
    assert unusable._value.get() == 1
    probe_queue.mend()
    wait_for(lambda: relay_here.run_once() or unusable._value.get() == 0, what="it is usable again")


def test_a_queue_that_was_mended_is_taken_up_again(
    probe_queue: Breakable, broker_here: str, relay_here: Relay, looks_again_soon: None
) -> None:
    probe_queue.break_it()
    jobs = enqueue_many(5)
    relay_here.run_once()
    probe_queue.mend()

    def all_published() -> bool:
        relay_here.run_once()
        return not Job.objects.filter(pk__in=jobs, state="waiting").exists()

    wait_for(all_published, what="the mended queue is used again")
    assert messages_ready(broker_here, "probe") == 5
    assert set(Job.objects.filter(pk__in=jobs).values_list("publish_number", flat=True)) == {1}
    if broker_here.startswith("amqp"):
        with at_broker(broker_here) as broker:
            right = topology.work_queues([queue_named("probe")])[0](broker.default_channel)
            assert right.is_usable()


def test_a_queue_that_breaks_between_two_batches_gives_its_batch_back_and_lets_the_others_go_on(
    probe_queue: Breakable, broker_here: str, relay_here: Relay
) -> None:
    if broker_here.startswith("amqp"):
        return  # a RabbitMQ queue with other arguments takes what it is sent until it is declared again
    relay_here.run_once()
    probe_queue.break_it()
    held_up, others = enqueue_many(5), enqueue_elsewhere(5)
    for _ in range(3):
        relay_here.run_once()
    assert set(Job.objects.filter(pk__in=others).values_list("state", flat=True)) == {"published"}
    assert set(Job.objects.filter(pk__in=held_up).values_list("state", "reason", "publish_number")) == {
        ("waiting", "queue unusable", 1)
    }


def test_a_worker_of_a_broken_queue_works_on_its_others_and_takes_this_one_up_when_it_is_mended(
    probe_queue: Breakable, system: System
) -> None:
    probe_queue.break_it()
    system.start_relay(wait=False)
    worker = system.start_worker(queues="probe,default")
    held_up = enqueue_many(3)
    wait_until_done(enqueue_elsewhere(20))
    assert {state_of(job) for job in held_up} == {"waiting"}
    probe_queue.mend()
    wait_until_done(held_up, seconds=30)
    assert_marked_once(["0", "1", "2", *(f"elsewhere {nth}" for nth in range(20))])
    probe_queue.break_it()  # now under a worker that is connected
    wait_until_done(enqueue_elsewhere(20))
    assert worker.alive
