"""A broker that is away, breaks off, confirms nothing or is full, as the relay meets it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from celery import current_app

from jobs import metrics
from jobs.broker import amqp, topology
from jobs.errors import BrokerUnavailable
from jobs.models import Job
from jobs.queues import all_queues, queue_named
from jobs.relay.loop import Relay
from tests.fixtures_jobs import at_broker, messages_ready
from tests.fixtures_relay import WINDOW, enqueue_many, talking_to
from tests.ledger import job, real_commits, state_of
from tests.network import Line
from tests.processes import wait_for

pytestmark = real_commits


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
    relay_here._refused_until.clear()
    jobs = enqueue_many(WINDOW - 5)
    assert relay_here.run_once() == 0
    assert Job.objects.filter(pk__in=jobs, state="waiting", reason="refused by the broker").count() == len(jobs)
    assert messages_ready(broker_here, "probe") == Job.objects.filter(state="published").count()
    assert refusals._value.get() >= before + len(jobs)
    assert relay_here.run_once() == 0  # the queue is left alone for a moment
    assert set(Job.objects.filter(pk__in=jobs).values_list("publish_number", flat=True)) == {1}


def test_nothing_is_marked_while_the_broker_is_away(relay_here: Relay, broker_here: str) -> None:
    current_app.conf.update(broker_url=f"{broker_here.partition(':')[0]}://127.0.0.1:1/")
    (job_id,) = enqueue_many(1)
    with pytest.raises(BrokerUnavailable):
        relay_here.run_once()
    assert (state_of(job_id), job(job_id).publish_number) == ("waiting", 0)


@pytest.fixture
def line(broker_here: str) -> Iterator[Line]:
    """The way to the broker, which the test can cut."""
    line = Line(broker_here)
    with talking_to(line.url):
        yield line
    line.cut()


def test_a_batch_whose_connection_breaks_goes_back_and_out_again(
    line: Line, relay_here: Relay, broker_here: str
) -> None:
    enqueue_many(1)
    assert relay_here.run_once() == 1
    enqueue_many(10)
    line.cut()
    with pytest.raises(BrokerUnavailable):
        relay_here._relay(queue_named("probe"))
    assert Job.objects.filter(state="waiting", reason="broker away").count() == 10
    relay_here._let_go()
    line.restore()
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
    monkeypatch.setattr(publisher.connection, "release", lambda: pytest.fail("it waits for an answer to its farewell"))
    publisher.close()
    assert not publisher.connection.connected


def _delete_queues(url: str) -> None:
    with at_broker(url) as broker:
        for queue in all_queues():
            broker.default_channel.queue_delete(queue.name)
