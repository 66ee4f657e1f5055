"""Fixtures of the engine's tests: brokers, and systems of real processes on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from celery import current_app
from django.core.management import call_command
from django.db import connection, transaction
from kombu import Connection
from pytest_django.plugin import DjangoDbBlocker

from jobs import transitions, wakeup
from jobs.broker import topology
from jobs.broker.messages import body_of, headers_of, properties_of
from jobs.claim import Claim
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.queues import all_queues, queue_named
from jobs.session import engine_session
from jobs.transitions import Message
from jobs.worker.execution import Outcome, run_job
from tests.processes import System

BROKERS = {
    "redis": os.environ.get("TEST_BROKER_URL_REDIS") or os.environ["BROKER_URL"],
    "rabbitmq": os.environ.get("TEST_BROKER_URL_RABBITMQ", ""),
}


@pytest.fixture(scope="session", autouse=True)
def _quiet_bells(django_db_setup: None) -> Iterator[None]:
    """The wake-up threads hold connections, and a database in use cannot be dropped."""
    yield
    wakeup.close()


BROKER_SECONDS = 20
"""A broker that says nothing for so long fails the test that asks it; by itself a client would wait for ever."""


def at_broker(url: str) -> Connection:
    """A connection of the test's own. RabbitMQ may drop what was published without a confirm when it is closed."""
    limits = ("read_timeout", "write_timeout") if url.startswith("amqp") else ("socket_timeout",)
    return Connection(url, transport_options={"confirm_publish": True, **dict.fromkeys(limits, BROKER_SECONDS)})


def broker_url(name: str) -> str:
    if not BROKERS[name]:
        pytest.skip(f"no {name}: set TEST_BROKER_URL_{name.upper()}")
    return BROKERS[name]


def empty(url: str) -> None:
    """Take every message out of the broker's queues, and on Redis those that killed workers held."""
    with at_broker(url) as broker:
        topology.declare(broker, amqp=url.startswith("amqp"))
        channel = broker.default_channel
        for queue in topology.work_queues(all_queues()):
            queue(channel).purge()
        if url.startswith("amqp"):
            topology.dead_letter_queue()(channel).purge()
        else:
            channel.client.delete(channel.unacked_key, channel.unacked_index_key)


def messages_ready(url: str, queue: str) -> int:
    """Messages that wait in the broker's queue."""
    with at_broker(url) as broker:
        channel = broker.default_channel
        if url.startswith("amqp"):
            return int(channel.queue_declare(queue, passive=True).message_count)
        return int(channel._size(queue))


def messages_in_hand(url: str, queue: str) -> int:
    """Messages that workers have taken from Redis and not acknowledged yet. RabbitMQ tells it to its own tools only."""
    with at_broker(url) as broker:
        channel = broker.default_channel
        return 0 if url.startswith("amqp") else int(channel.client.hlen(channel.unacked_key))


def publish_by_hand(url: str, messages: list[Message]) -> None:
    """Send messages of the ledger's shape past the relay."""
    with at_broker(url) as broker, broker.Producer(auto_declare=False) as producer:
        for message in messages:
            producer.publish(
                body_of(message),
                exchange="",
                routing_key=message.queue,
                content_type="application/json",
                content_encoding="utf-8",
                headers=headers_of(message),
                **properties_of(message),
            )


def environment(url: str) -> dict[str, str]:
    """This process's environment, with the test database and the given broker; the same in each test."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = connection.settings_dict["NAME"]
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": urlunsplit(parts._replace(path=f"/{database}")),
        "BROKER_URL": url,
        "PYTHONUNBUFFERED": "1",
        "LOG_FORMAT": "json",
    }


@pytest.fixture(params=["redis", "rabbitmq"])
def broker(request: pytest.FixtureRequest) -> str:
    """The URL of each broker in turn, empty."""
    url = broker_url(request.param)
    empty(url)
    return url


@pytest.fixture
def system(broker: str, transactional_db: None) -> Iterator[System]:
    """No process yet; the test starts them, and they are gone when it ends."""
    system = System(environment(broker))
    yield system
    system.stop()


def end_between_tests(system: System, *, blocker: DjangoDbBlocker) -> None:
    """End processes that outlive a test, and take away what they have written since the last one was cleared up.

    A worker's sign of life, for one, counts for as long as if it lived: the next test's relay would size its window
    by it.
    """
    system.stop()
    with blocker.unblock():
        call_command("flush", verbosity=0, interactive=False)
        connection.close()


@pytest.fixture
def running_system(system: System) -> System:
    """A relay and a worker for the probe's queue."""
    system.start_worker()
    system.start_relay()
    return system


@pytest.fixture
def enqueued(transactional_db: None) -> Callable[..., int]:
    """Enqueue one probe job in a transaction of its own; return its id."""

    def _enqueue(task: str, **args: object) -> int:
        with transaction.atomic():
            return enqueue(task=task, args=args)

    return _enqueue


@pytest.fixture
def published(enqueued: Callable[..., int]) -> Callable[..., int]:
    """Enqueue one probe job and mark it as published, as a relay does; return its id."""

    def _publish(task: str, **args: object) -> int:
        job_id = enqueued(task, **args)
        engine_session("default")
        transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
        return job_id

    return _publish


@pytest.fixture
def work(transactional_db: None) -> Iterator[Callable[[int], Outcome]]:
    """Run the message of a published job in this process, as a worker's child does."""

    def _work(job_id: int) -> Outcome:
        task = current_app.tasks[Job.objects.values_list("task", flat=True).get(pk=job_id)]
        return run_job(task, job_id=job_id, using="default", worker="here")

    yield _work
    connection.close()  # an engine session has short time limits, which other tests do not expect


@pytest.fixture
def claimed(published: Callable[..., int], work: object) -> Callable[..., Claim]:
    """Enqueue, publish and claim one probe job; return the claim."""

    def _claim(task: str = "probe.leave_a_mark", **args: object) -> Claim:
        claim = transitions.claim(
            using="default",
            job_id=published(task, **args),
            task=task,
            worker="here",
            backend=engine_session("default"),
            lease_seconds=queue_named("probe").lease_seconds,
            durable=True,
        )
        assert claim is not None
        return claim

    return _claim


@pytest.fixture
def scratch_task(settings: Any) -> Iterator[Callable[..., str]]:
    """Register a task with a body of the test's own; return its name."""
    names: list[str] = []

    def _register(body: Callable[..., object], **options: object) -> str:
        name = f"probe.scratch{len(names)}"
        names.append(name)
        settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, name: "probe"}
        current_app.task(name=name, shared=False, **options)(body)
        return name

    yield _register
    for name in names:
        current_app.tasks.pop(name, None)


@pytest.fixture(scope="session", autouse=True)
def _tasks_are_known() -> None:
    current_app.loader.import_default_modules()
