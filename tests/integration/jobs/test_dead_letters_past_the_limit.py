"""RabbitMQ gives a message up after its delivery limit. What that means to the job is the ledger's decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs import transitions
from jobs.broker import topology
from jobs.dead.collector import collect
from jobs.models import DeadLetter, Job
from jobs.relay.loop import Relay
from jobs.transitions import Message
from jobs.worker.execution import Outcome
from tests.fixtures_jobs import at_broker, broker_url, empty, publish_by_hand
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Burial, Mark
from tests.processes import wait_for

pytestmark = real_commits

MOST_DELIVERIES = 30
"""A little more than the limit of the work queues."""


@pytest.fixture
def broker() -> str:
    """RabbitMQ; Redis gives no message up."""
    url = broker_url("rabbitmq")
    empty(url)
    return url


def deliver_until_given_up(url: str) -> None:
    """Take the message and put it back, as lost connections do, until the broker has had enough."""
    with at_broker(url) as broker:
        channel = broker.default_channel

        def given_up() -> bool:
            return channel.queue_declare(topology.DEAD_LETTERS, passive=True).message_count == 1

        for _ in range(MOST_DELIVERIES):
            message = channel.basic_get("probe")
            if message is None:
                break
            channel.basic_reject(message.delivery_tag, requeue=True)
        wait_for(given_up, what="it is a dead letter")


def message_of(job_id: int) -> Message:
    return Message(job_id, "default", "probe", "probe.leave_a_mark", 1, "")


@pytest.fixture
def given_up(published: Callable[..., int], broker_here: str, relay_here: Relay) -> Callable[[str], int]:
    """A job in this state, the message of which RabbitMQ has given up and the relay has collected; its number."""

    def _make(state: str) -> int:
        job_id = published("probe.leave_a_mark", key="a")
        publish_by_hand(broker_here, [message_of(job_id)])
        Job.objects.filter(pk=job_id).update(state=state)
        deliver_until_given_up(broker_here)
        assert collect(publisher=relay_here._connected()) == 1
        return job_id

    return _make


def test_a_published_job_goes_back_and_runs(
    given_up: Callable[[str], int], relay_here: Relay, work: Callable[[int], Outcome]
) -> None:
    job_id = given_up("published")
    assert (state_of(job_id), job(job_id).reason, job(job_id).deliveries) == ("waiting", "given up by the broker", 0)
    relay_here.run_once()
    assert job(job_id).publish_number == 2
    assert work(job_id) is Outcome.SETTLED
    assert (state_of(job_id), Mark.objects.count()) == ("done", 1)


def test_a_waiting_job_is_published_all_the_same(
    given_up: Callable[[str], int], relay_here: Relay, work: Callable[[int], Outcome]
) -> None:
    job_id = given_up("waiting")
    assert (state_of(job_id), job(job_id).publish_number) == ("waiting", 1)
    relay_here.run_once()
    assert work(job_id) is Outcome.SETTLED
    assert (state_of(job_id), Mark.objects.count()) == ("done", 1)


@pytest.mark.parametrize("state", ["running", "done", "dead", "cancelled"])
def test_in_any_other_state_the_ledger_has_decided_already(given_up: Callable[[str], int], state: str) -> None:
    before = {"attempts": 0, "deliveries": 0, "generation": 0, "publish_number": 1, "reason": ""}
    job_id = given_up(state)
    assert Job.objects.filter(pk=job_id, state=state, **before).exists()
    assert (DeadLetter.objects.count(), Burial.objects.count()) == (0, 0)


def test_an_unknown_job_becomes_one_dead_letter_however_often_it_comes(broker_here: str, relay_here: Relay) -> None:
    for times in (1, 2, 3):
        publish_by_hand(broker_here, [message_of(12345)])
        deliver_until_given_up(broker_here)
        assert collect(publisher=relay_here._connected()) == 1
        letter = DeadLetter.objects.get()
        assert (letter.reason, letter.queue, letter.times_seen) == ("unknown job", "probe", times)


def test_a_known_number_under_another_task_is_unknown_and_touches_no_job(
    published: Callable[..., int], broker_here: str, relay_here: Relay
) -> None:
    job_id = published("probe.call", key="a")
    publish_by_hand(broker_here, [message_of(job_id)])
    deliver_until_given_up(broker_here)
    assert collect(publisher=relay_here._connected()) == 1
    assert (state_of(job_id), DeadLetter.objects.get().reason) == ("published", "unknown job")


def test_a_message_that_was_replayed_meanwhile_does_not_disturb_the_new_generation(
    published: Callable[..., int], broker_here: str, relay_here: Relay
) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    publish_by_hand(broker_here, [message_of(job_id)])
    Job.objects.filter(pk=job_id).update(state="dead")
    transitions.replay(using="default", job_id=job_id, generation=0)
    transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    deliver_until_given_up(broker_here)
    assert collect(publisher=relay_here._connected()) == 1
    assert (state_of(job_id), job(job_id).publish_number) == ("published", 2)
