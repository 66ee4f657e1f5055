"""The relay, batch by batch, on real brokers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from structlog.contextvars import bound_contextvars

from jobs import transitions
from jobs.enqueue import enqueue
from jobs.errors import BrokerUnavailable
from jobs.models import Job
from jobs.relay.loop import Relay
from jobs.transitions import Message
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import at_broker, messages_ready
from tests.fixtures_relay import HORIZON, WINDOW, enqueue_many
from tests.ledger import job, real_commits

pytestmark = real_commits


def test_due_jobs_become_messages_that_carry_an_id_and_nothing_else(relay_here: Relay, broker_here: str) -> None:
    with transaction.atomic():
        job_id = enqueue(task="probe.leave_a_mark", args={"key": "a secret"}, subject="order:ABC")
    assert relay_here.run_once() == 1
    row = job(job_id)
    assert (row.state, row.publish_number) == ("published", 1)
    with at_broker(broker_here) as broker, broker.default_channel as channel:
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


def test_a_relay_that_begins_with_an_empty_ledger_does_not_plan_to_read_all_of_it(relay_here: Relay) -> None:
    """It keeps to that plan when there are ten thousand jobs."""
    relay_here.run_once()
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements WHERE statement LIKE '%%RECURSIVE counted%%'")
        ((name,),) = cursor.fetchall()
        cursor.execute(f"EXPLAIN EXECUTE {name}('probe', 10, 10, '{{}}', '{{}}', '{{}}', 1)")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Update on jobs_job" in plan
    assert "Seq Scan on jobs_job" not in plan, plan


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


def test_a_correlation_id_of_any_length_stops_no_relay(relay_here: Relay) -> None:
    with bound_contextvars(correlation_id="ü" * 300_000):
        enqueue_many(1)
    assert relay_here.run_once() == 1


def test_what_the_broker_did_not_take_lets_nobody_go_before_his_turn(
    relay_here: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = enqueue_many(1, priority=9)
    enqueue_many(2 * WINDOW, priority=0)

    def refuse(messages: list[Message]) -> list[Message]:
        raise BrokerUnavailable

    with monkeypatch.context() as away:
        away.setattr(relay_here._connected(), "publish", refuse)
        with pytest.raises(BrokerUnavailable):
            relay_here.run_once()
    assert relay_here.run_once() == WINDOW
    assert Job.objects.get(pk=patient[0]).state == "waiting"


def test_two_relays_never_publish_the_same_job(relay_here: Relay, broker_here: str) -> None:
    other = Relay()
    enqueue_many(WINDOW)
    assert relay_here.run_once() + other.run_once() == WINDOW
    other._let_go()
    assert messages_ready(broker_here, "probe") == WINDOW
    assert set(Job.objects.values_list("publish_number", flat=True)) == {1}


def test_a_stopped_worker_pool_does_not_make_the_brokers_queue_grow(
    relay_here: Relay, broker_here: str, clock: Clock
) -> None:
    jobs = enqueue_many(3 * WINDOW)
    for _ in range(6):
        relay_here.run_once()
        assert messages_ready(broker_here, "probe") == WINDOW
        assert Job.objects.filter(pk__in=jobs, state="published").count() == WINDOW
        clock.advance(HORIZON)
    assert Job.objects.order_by("-publish_number")[0].publish_number == 1


def test_a_relay_that_began_with_an_empty_ledger_does_not_read_all_of_it_when_it_is_full(relay_here: Relay) -> None:
    """A plan is kept with its session; nobody has analysed the table since."""
    for _ in range(8):  # as often as PostgreSQL makes a plan anew
        relay_here.run_once()
    enqueue_many(1)
    with connection.cursor() as cursor:
        cursor.execute("SHOW enable_seqscan")
        assert cursor.fetchone() == ("off",)
    assert relay_here.run_once() == 1
