"""The dead-letter queue of RabbitMQ, emptied by the relay. Redis has none."""

from __future__ import annotations

import pytest

from jobs import transitions
from jobs.broker import topology
from jobs.dead.collector import collect
from jobs.models import DeadLetter, Job
from jobs.relay.loop import Relay
from tests.fixtures_jobs import at_broker, publish_by_hand
from tests.fixtures_relay import enqueue_many
from tests.ledger import job, real_commits, state_of
from tests.processes import wait_for

pytestmark = real_commits


def test_dead_letters_of_rabbitmq_are_settled_once_and_never_overrule_the_ledger(
    relay_here: Relay, broker_here: str
) -> None:
    """Every message that RabbitMQ gave up: one is still wanted, one has long been done, one nobody knows."""
    if not broker_here.startswith("amqp"):
        return
    wanted, done = enqueue_many(2)
    relay_here.run_once()
    Job.objects.filter(pk=done).update(state="done")
    unknown = transitions.Message(12345, "default", "probe", "probe.leave_a_mark", 1, "")
    publish_by_hand(broker_here, [unknown])
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        for _ in range(3):
            channel.basic_reject(channel.basic_get("probe").delivery_tag, requeue=False)
        wait_for(lambda: channel.queue_declare(topology.DEAD_LETTERS, passive=True).message_count == 3)
    assert collect(publisher=relay_here._connected()) == 3
    assert (state_of(wanted), job(wanted).reason, state_of(done)) == ("waiting", "given up by the broker", "done")
    assert DeadLetter.objects.get().reason == "unknown job"
    assert relay_here.run_once() == 1
    assert job(wanted).publish_number == 2


def test_a_dead_letter_that_cannot_be_written_down_as_text_stops_no_relay(relay_here: Relay, broker_here: str) -> None:
    if not broker_here.startswith("amqp"):
        return
    with at_broker(broker_here) as broker:
        half_a_character = b"+2AA-"
        broker.default_channel.basic_publish(
            broker.default_channel.prepare_message(half_a_character, content_encoding="utf-7"),
            exchange=topology.DEAD_LETTERS,
            routing_key="",
        )
    wait_for(lambda: collect(publisher=relay_here._connected()) == 1, what="it is collected")
    assert DeadLetter.objects.get().body == "\\ud800"


def test_a_dead_letter_that_cannot_be_settled_holds_up_no_job(
    relay_here: Relay, broker_here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not broker_here.startswith("amqp"):
        return
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        message = channel.prepare_message(b"x", content_encoding="binary")
        channel.basic_publish(message, exchange=topology.DEAD_LETTERS, routing_key="")
        with monkeypatch.context() as patch:
            patch.setattr("jobs.dead.collector.keep_dead_letter", lambda **_: 1 / 0)
            enqueue_many(3)
            assert relay_here.run_once() == 3
        wait_for(lambda: collect(publisher=relay_here._connected()) == 1, what="it is settled when that is possible")


def test_a_dead_letter_queue_of_another_kind_holds_up_no_job_and_is_replaced_when_it_is_deleted(
    relay_here: Relay, broker_here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not broker_here.startswith("amqp"):
        return
    monkeypatch.setattr("jobs.broker.amqp.LOOK_AGAIN_SECONDS", 0.05)
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        channel.queue_delete(topology.DEAD_LETTERS)
        channel.queue_declare(topology.DEAD_LETTERS, durable=True, auto_delete=False)
        enqueue_many(3)
        assert relay_here.run_once() == 3
        channel.queue_delete(topology.DEAD_LETTERS)

        def is_quorum() -> bool:
            relay_here.run_once()
            return bool(topology.dead_letter_queue()(channel).is_usable())

        wait_for(is_quorum, what="the dead-letter queue is declared again")


def test_a_stale_dead_letter_does_not_take_back_a_later_publication(relay_here: Relay, broker_here: str) -> None:
    if not broker_here.startswith("amqp"):
        return
    (job_id,) = enqueue_many(1)
    relay_here.run_once()
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        channel.basic_reject(channel.basic_get("probe").delivery_tag, requeue=False)
        wait_for(lambda: channel.queue_declare(topology.DEAD_LETTERS, passive=True).message_count == 1)
    Job.objects.filter(pk=job_id).update(publish_number=2)
    assert collect(publisher=relay_here._connected()) == 1
    assert state_of(job_id) == "published"
