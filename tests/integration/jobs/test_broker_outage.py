"""While the broker is away the relay waits; afterwards the backlog goes out in order, and no mark was burnt."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from celery import current_app
from django.db import connection, transaction

from jobs.broker.messages import read_message
from jobs.enqueue import enqueue
from jobs.flow.window import SMALLEST
from jobs.models import Job
from jobs.relay.loop import LONGEST_BACKOFF_SECONDS, Relay
from tests.fixtures_jobs import at_broker, environment, messages_ready
from tests.fixtures_relay import talking_to
from tests.ledger import real_commits
from tests.network import Line
from tests.ports import free_ports
from tests.processes import Process, System, wait_for

pytestmark = real_commits


@pytest.fixture
def line(broker: str) -> Iterator[Line]:
    """The way to each broker in turn, which the test can cut."""
    line = Line(broker)
    yield line
    line.cut()


@pytest.fixture
def far_system(line: Line, transactional_db: None) -> Iterator[System]:
    """Processes that reach their broker by the line."""
    system = System(environment(line.url))
    yield system
    system.stop()


def enqueue_backlog() -> list[int]:
    """Jobs of several priorities, enqueued in several transactions; in the order in which they must go out."""
    jobs: list[tuple[int, int]] = []
    for nth in range(SMALLEST):
        priority = (5, 1, 9)[nth % 3]
        with transaction.atomic():
            job = enqueue(task="probe.leave_a_mark", args={"key": str(nth)}, priority=priority)
        jobs.append((priority, job))
    return [job for _, job in sorted(jobs)]


def messages_in_order(url: str) -> list[int]:
    """The jobs that the messages in the probe's queue name, oldest first; they are taken."""
    jobs = []
    with at_broker(url) as broker:
        queue = current_app.amqp.queues["probe"](broker.default_channel)
        while message := queue.get(no_ack=True):
            jobs.append(read_message(message.headers, message.body, message.content_type).job_id)
    return jobs


def waits(relay: Process) -> int:
    """How often the relay has said that it waits."""
    return sum("relay_waits" in line for line in relay.output)


def test_what_was_enqueued_while_the_broker_was_away_goes_out_in_order_and_once(
    broker: str, line: Line, far_system: System
) -> None:
    relay = far_system.start_relay()
    line.cut()
    backlog = enqueue_backlog()
    wait_for(lambda: waits(relay) >= 4, what="the relay tries again and again")
    assert set(Job.objects.values_list("state", flat=True)) == {"waiting"}
    line.restore()
    within = LONGEST_BACKOFF_SECONDS + 10
    wait_for(lambda: messages_ready(broker, "probe") >= SMALLEST, seconds=within, what="the backlog goes out")
    relay.kill()  # before it takes messages that nobody consumes for lost
    assert list(dict.fromkeys(messages_in_order(broker))) == backlog
    # At most one mark was in vain: that of the batch with which the relay noticed.
    assert max(Job.objects.values_list("publish_number", flat=True)) <= 2


def test_the_relay_waits_ever_longer_up_to_a_bound(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    relay = Relay()

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 9:
            relay.stop()

    monkeypatch.setattr(relay, "_sleep", sleep)
    with talking_to(f"redis://127.0.0.1:{free_ports(1)[0]}/"):
        relay.run()
    connection.close()  # an engine session has short time limits, which other tests do not expect
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
