"""Two databases whose messages share the broker's queue: whose message is lost, and whose only waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction

from jobs import transitions
from jobs.broker import Publisher, open_publisher
from jobs.broker.topology import DEAD_LETTERS
from jobs.dead.collector import collect
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.queues import queue_named
from jobs.rescue import rescue_messages
from jobs.session import engine_session
from jobs.transitions import Message
from tests.fixtures_databases import BOTH, NORTH, two_ledgers
from tests.fixtures_jobs import broker_url, publish_by_hand

QUEUE = "probe"
AGO = timedelta(seconds=60)

pytestmark = two_ledgers


@pytest.fixture(autouse=True)
def _both(north: dict[str, Any], transactional_db: None) -> Iterator[None]:
    yield
    for alias in BOTH:
        connections[alias].close()


@pytest.fixture
def publisher(broker_here: str) -> Iterator[Publisher]:
    publisher = open_publisher()
    yield publisher
    publisher.close()


def published_on(alias: str, *, ago: timedelta) -> Message:
    """A job that was marked ``ago``; its message is not sent."""
    with transaction.atomic(using=alias):
        enqueue(task="probe.leave_a_mark", args={"key": alias}, using=alias)
    engine_session(alias)
    (message,) = transitions.mark_due(using=alias, queue=QUEUE, window=100, batch=1).messages
    row = Job.objects.using(alias).get(pk=message.job_id)
    Job.objects.using(alias).filter(pk=row.pk).update(published_at=row.published_at - ago)
    return message


def backlog_of_north(url: str, publisher: Publisher) -> None:
    messages = [Message(number, NORTH, QUEUE, "probe.leave_a_mark", 1, "") for number in range(1000, 1010)]
    publish_by_hand(url, messages)
    assert publisher.ready_count(QUEUE) == 10


def run_on(alias: str, message: Message) -> None:
    assert transitions.claim(
        using=alias, job_id=message.job_id, task=message.task, worker="here", backend=engine_session(alias),
        lease_seconds=60, durable=False,
    )  # fmt: skip


def rescued(publisher: Publisher) -> int:
    return rescue_messages(using="default", queue=queue_named(QUEUE), publisher=publisher)


def test_what_workers_have_passed_by_is_lost_however_much_of_the_others_waits(
    broker_here: str, publisher: Publisher
) -> None:
    published_on("default", ago=AGO)
    backlog_of_north(broker_here, publisher)
    assert rescued(publisher) == 0  # it may still stand among those ten
    run_on(NORTH, published_on(NORTH, ago=timedelta(0)))
    assert rescued(publisher) == 1


def test_what_is_younger_than_what_runs_may_still_wait_for_its_turn(broker_here: str, publisher: Publisher) -> None:
    published_on("default", ago=AGO)
    backlog_of_north(broker_here, publisher)
    run_on(NORTH, published_on(NORTH, ago=2 * AGO))
    assert rescued(publisher) == 0


def test_another_database_that_is_away_does_not_stop_the_rescue(
    broker_here: str, publisher: Publisher, north_is_away: Callable[[], None]
) -> None:
    published_on("default", ago=AGO)
    backlog_of_north(broker_here, publisher)
    north_is_away()
    assert rescued(publisher) == 0
    run_on("default", published_on("default", ago=timedelta(0)))
    assert rescued(publisher) == 1


def test_a_dead_letter_of_a_database_that_is_away_holds_up_no_other(
    publisher: Publisher, north_is_away: Callable[[], None]
) -> None:
    if not publisher.__class__.__module__.endswith("amqp"):
        return  # only RabbitMQ has a queue of them
    url = broker_url("rabbitmq")
    here = published_on("default", ago=timedelta(0))
    north_is_away()
    there = Message(5, NORTH, DEAD_LETTERS, "probe.leave_a_mark", 1, "")
    publish_by_hand(url, [there, Message(here.job_id, "default", DEAD_LETTERS, here.task, here.publish_number, "")])
    assert collect(publisher=publisher) == 2
    assert Job.objects.get(pk=here.job_id).state == "waiting"


@pytest.fixture
def north_is_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Nothing listens where it should be, once the test says so."""

    def leave() -> None:
        connections[NORTH].close()
        monkeypatch.setitem(connections[NORTH].settings_dict, "PORT", 1)

    yield leave
    monkeypatch.undo()
    connections[NORTH].close()
