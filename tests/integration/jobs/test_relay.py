"""The relay, batch by batch, on real brokers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import connection, transaction
from kombu import Connection

from jobs import metrics, relay, transitions
from jobs.broker import Publisher, amqp, topology
from jobs.dead.collector import collect
from jobs.enqueue import enqueue
from jobs.errors import BrokerUnavailable
from jobs.models import DeadLetter, Job
from jobs.queues import all_queues, queue_named
from jobs.relay import Relay
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import CONFIRMED, messages_ready, publish_by_hand
from tests.ledger import job, real_commits, state_of
from tests.processes import wait_for

pytestmark = real_commits

WINDOW = 50
HORIZON = timedelta(seconds=3)
"""Longer than the probe queue's."""


@pytest.fixture
def broker_here(broker: str) -> Iterator[str]:
    """Each broker in turn, empty, as the one that this process's Celery app talks to."""
    before = {name: current_app.conf[name] for name in ("broker_url", "broker_transport", "broker_transport_options")}
    if broker.startswith("amqp"):
        current_app.conf.update(broker_transport=None, broker_transport_options={"confirm_publish": True})
    else:
        current_app.conf.update(
            broker_transport="jobs.broker.envelopes:GuardedTransport", broker_transport_options={"socket_timeout": 5}
        )
    current_app.conf.update(broker_url=broker)
    yield broker
    current_app.conf.update(before)


@pytest.fixture
def relay_here(broker_here: str, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """A relay whose batches the test runs, with a rescue in each."""
    assert queue_named("probe").window == WINDOW
    monkeypatch.setattr(relay, "RESCUE_SECONDS", 0.0)
    here = Relay()
    yield here
    here._let_go()
    connection.close()  # an engine session has short time limits, which other tests do not expect


def enqueue_many(count: int, **more: Any) -> list[int]:
    with transaction.atomic():
        return [enqueue(task="probe.leave_a_mark", args={"key": str(number)}, **more) for number in range(count)]


def test_due_jobs_become_messages_that_carry_an_id_and_nothing_else(relay_here: Relay, broker_here: str) -> None:
    with transaction.atomic():
        job_id = enqueue(task="probe.leave_a_mark", args={"key": "a secret"}, subject="order:ABC")
    assert relay_here.run_once() == 1
    row = job(job_id)
    assert (row.state, row.publish_number) == ("published", 1)
    with Connection(broker_here) as broker, broker.default_channel as channel:
        message = channel.basic_get("probe")
        message = channel.message_to_python(message) if hasattr(channel, "message_to_python") else message
        text = repr((message.body, message.headers, message.properties))
        assert f'[[{job_id}, "default"]' in str(message.body)
        assert "secret" not in text
        assert "ABC" not in text
        message.ack()


def test_the_most_urgent_go_first_and_equals_in_the_order_of_their_time(relay_here: Relay) -> None:
    (late,), (early,) = enqueue_many(1, priority=5), enqueue_many(1, priority=5)
    (urgent,) = enqueue_many(1, priority=1)
    Job.objects.filter(pk=early).update(available_at=job(late).available_at - timedelta(seconds=1))
    relay_here.run_once()
    assert list(Job.objects.order_by("published_at").values_list("pk", flat=True)) == [urgent, early, late]


def test_no_publish_happens_inside_a_transaction(relay_here: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[bool] = []
    publisher = relay_here._connected()
    publish = publisher.publish

    def watch(messages: list[transitions.Message]) -> list[transitions.Message]:
        status = connection.connection.pgconn.transaction_status
        watched.append(connection.in_atomic_block or status != 0)
        return publish(messages)

    monkeypatch.setattr(publisher, "publish", watch)
    enqueue_many(10)
    assert relay_here.run_once() == 10
    assert watched == [False]


def test_two_relays_never_publish_the_same_job(relay_here: Relay, broker_here: str) -> None:
    other = Relay()
    enqueue_many(WINDOW)
    assert relay_here.run_once() + other.run_once() == WINDOW
    other._let_go()
    assert messages_ready(broker_here, "probe") == WINDOW
    assert set(Job.objects.values_list("publish_number", flat=True)) == {1}


def test_a_stopped_worker_pool_does_not_make_the_brokers_queue_grow(
    relay_here: Relay, broker_here: str, ledger_clock: Clock
) -> None:
    jobs = enqueue_many(3 * WINDOW)
    for _ in range(6):
        relay_here.run_once()
        assert messages_ready(broker_here, "probe") == WINDOW
        assert Job.objects.filter(pk__in=jobs, state="published").count() == WINDOW
        ledger_clock.advance(HORIZON)
    assert Job.objects.order_by("-publish_number")[0].publish_number == 1


def test_messages_that_the_broker_lost_are_published_again_after_the_horizon(
    relay_here: Relay, broker_here: str, ledger_clock: Clock
) -> None:
    enqueue_many(20)
    relay_here.run_once()
    with Connection(broker_here) as broker:
        broker.default_channel.queue_purge("probe")
    assert relay_here.run_once() == 0  # too early to tell
    ledger_clock.advance(HORIZON)
    assert relay_here.run_once() == 20
    assert messages_ready(broker_here, "probe") == 20


def test_only_as_many_jobs_as_messages_are_missing_are_published_again(
    relay_here: Relay, broker_here: str, ledger_clock: Clock
) -> None:
    enqueue_many(20)
    relay_here.run_once()
    with Connection(broker_here) as broker:
        channel = broker.default_channel
        for _ in range(5):
            message = channel.basic_get("probe", no_ack=True)
            assert message is not None
    ledger_clock.advance(HORIZON)
    assert relay_here.run_once() == 5
    assert messages_ready(broker_here, "probe") == 20


def test_queues_that_were_deleted_are_declared_again(relay_here: Relay, broker_here: str, ledger_clock: Clock) -> None:
    enqueue_many(5)
    relay_here.run_once()
    with Connection(broker_here) as broker:
        channel = broker.default_channel
        for queue in ("probe", "default", topology.DEAD_LETTERS):
            channel.queue_delete(queue)
    ledger_clock.advance(HORIZON)
    enqueue_many(5)

    def all_published() -> bool:
        relay_here.run_once()
        return not Job.objects.filter(state="waiting").exists()

    wait_for(all_published, what="the relay declared the queues again")
    assert messages_ready(broker_here, "probe") == 10
    assert Job.objects.filter(state="published").count() == 10


@pytest.fixture
def short_queues(broker_here: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Queues at the broker that are full after three messages."""
    _delete_queues(broker_here)
    monkeypatch.setitem(topology._WORK_ARGUMENTS, "x-max-length", 3)
    yield
    _delete_queues(broker_here)


def test_what_a_full_queue_refuses_goes_back_to_the_ledger(
    short_queues: None, relay_here: Relay, broker_here: str
) -> None:
    if not broker_here.startswith("amqp"):
        return  # a list on Redis takes everything
    refusals = metrics.REFUSED.labels(queue="probe", reason="refused by the broker")
    before = refusals._value.get()
    enqueue_many(5)
    relay_here.run_once()  # RabbitMQ notices a little late that the queue is over its length
    relay_here._paused_until.clear()
    jobs = enqueue_many(20)
    assert relay_here.run_once() == 0
    assert Job.objects.filter(pk__in=jobs, state="waiting", reason="refused by the broker").count() == 20
    assert messages_ready(broker_here, "probe") == Job.objects.filter(state="published").count()
    assert refusals._value.get() >= before + 20
    assert relay_here.run_once() == 0  # the queue is left alone for a moment
    assert set(Job.objects.filter(pk__in=jobs).values_list("publish_number", flat=True)) == {1}


def test_nothing_is_marked_while_the_broker_is_away(relay_here: Relay, broker_here: str) -> None:
    current_app.conf.update(broker_url=f"{broker_here.partition(':')[0]}://127.0.0.1:1/")
    (job_id,) = enqueue_many(1)
    with pytest.raises(BrokerUnavailable):
        relay_here.run_once()
    assert (state_of(job_id), job(job_id).publish_number) == ("waiting", 0)


def test_a_batch_whose_connection_breaks_goes_back_and_out_again(relay_here: Relay, broker_here: str) -> None:
    enqueue_many(1)
    assert relay_here.run_once() == 1
    enqueue_many(10)
    with _broken(relay_here._connected()), pytest.raises(BrokerUnavailable):
        relay_here._relay(queue_named("probe"))
    assert Job.objects.filter(state="waiting", reason="broker away").count() == 10
    relay_here._let_go()
    assert relay_here.run_once() == 10
    wait_for(lambda: messages_ready(broker_here, "probe") >= 10)


def test_a_broker_that_confirms_nothing_is_given_up_in_time(
    relay_here: Relay, broker_here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not broker_here.startswith("amqp"):
        return  # Redis answers each pipeline itself
    publisher = relay_here._connected()
    assert isinstance(publisher, amqp.AmqpPublisher)
    monkeypatch.setattr(amqp, "CONFIRM_SECONDS", 0.2)
    publisher.channel.events["basic_ack"].clear()
    enqueue_many(3)
    with pytest.raises(BrokerUnavailable, match="blocked"):
        relay_here.run_once()
    assert Job.objects.filter(state="waiting", reason="broker away").count() == 3


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
    with Connection(broker_here) as broker:
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
    with Connection(broker_here, transport_options=CONFIRMED) as broker:
        half_a_character = b"+2AA-"
        broker.default_channel.basic_publish(
            broker.default_channel.prepare_message(half_a_character, content_encoding="utf-7"),
            exchange=topology.DEAD_LETTERS,
            routing_key="",
        )
    wait_for(lambda: collect(publisher=relay_here._connected()) == 1, what="it is collected")
    assert DeadLetter.objects.get().body == "\\ud800"


def test_a_stale_dead_letter_does_not_take_back_a_later_publication(relay_here: Relay, broker_here: str) -> None:
    if not broker_here.startswith("amqp"):
        return
    (job_id,) = enqueue_many(1)
    relay_here.run_once()
    with Connection(broker_here) as broker:
        channel = broker.default_channel
        channel.basic_reject(channel.basic_get("probe").delivery_tag, requeue=False)
        wait_for(lambda: channel.queue_declare(topology.DEAD_LETTERS, passive=True).message_count == 1)
    Job.objects.filter(pk=job_id).update(publish_number=2)
    assert collect(publisher=relay_here._connected()) == 1
    assert state_of(job_id) == "published"


def _delete_queues(url: str) -> None:
    with Connection(url) as broker:
        for queue in all_queues():
            broker.default_channel.queue_delete(queue.name)


@contextmanager
def _broken(publisher: Publisher) -> Iterator[None]:
    """Cut RabbitMQ's connection below the client, as a network does, and let Redis refuse what it is sent."""
    connection: Connection = publisher.connection  # type: ignore[attr-defined]
    if isinstance(publisher, amqp.AmqpPublisher):
        connection.connection.transport.sock.shutdown(socket.SHUT_RDWR)
        yield
    else:
        client = connection.default_channel.client
        client.delete("probe")
        client.set("probe", "no list")
        try:
            yield
        finally:
            client.delete("probe")
