"""Workers whose broker takes their connection and refuses what they ask for, as Redis does when it is out of memory."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from kombu.asynchronous import Hub
from kombu.transport.redis import QoS
from redis.exceptions import OutOfMemoryError

from jobs.worker.consumer import LedgerConsumer
from tests.fixtures_jobs import broker_url
from tests.fixtures_relay import talking_to


@pytest.fixture
def consumer(monkeypatch: pytest.MonkeyPatch) -> Iterator[LedgerConsumer]:
    """A worker's consumer before its first connection."""
    monkeypatch.setattr("jobs.worker.consumer.REFUSED_PAUSE_SECONDS", 0.01)
    hub = Hub()
    with talking_to(broker_url("redis")):
        yield LedgerConsumer(
            lambda request: None,
            app=current_app._get_current_object(),
            hub=hub,
            task_events=current_app.conf.worker_send_task_events,
            controller=SimpleNamespace(use_eventloop=True),
        )
    hub.close()


def test_a_connection_on_which_the_broker_refuses_to_work_is_not_left_open(
    consumer: LedgerConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    connect = consumer.connection_for_read

    def connect_and_remember(heartbeat: Any = None) -> Any:
        opened.append(connect(heartbeat=heartbeat))
        return opened[-1]

    def refuse(*_: object, **__: object) -> None:
        raise OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")

    monkeypatch.setattr(consumer, "connection_for_read", connect_and_remember)
    monkeypatch.setattr(QoS, "restore_visible", refuse)
    with pytest.raises(OutOfMemoryError):
        consumer.connect()
    (connection,) = opened
    assert not connection.connected
    assert not connection.transport.channels


def test_a_worker_sends_no_events_over_which_a_blocked_broker_could_hold_it_up(consumer: LedgerConsumer) -> None:
    assert {step.alias for step in consumer.steps} & {"Events", "Heart", "Gossip", "Mingle"} == set()
