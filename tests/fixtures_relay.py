"""A relay in the process of the test, on each broker in turn, whose batches the test runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import connection, transaction

from jobs.enqueue import enqueue
from jobs.flow.window import SMALLEST
from jobs.queues import queue_named
from jobs.relay import loop as relay
from jobs.relay.loop import Relay

WINDOW = SMALLEST
"""That of the probe queue while no worker was heard of."""
HORIZON = timedelta(seconds=3)
"""Longer than the probe queue's."""


@contextmanager
def talking_to(url: str) -> Iterator[None]:
    """Make this broker the one that this process's Celery app talks to."""
    before = {name: current_app.conf[name] for name in ("broker_url", "broker_transport", "broker_transport_options")}
    if url.startswith("amqp"):
        current_app.conf.update(broker_transport=None, broker_transport_options={"confirm_publish": True})
    else:
        current_app.conf.update(
            broker_transport="jobs.broker.envelopes:GuardedTransport", broker_transport_options={"socket_timeout": 5}
        )
    current_app.conf.update(broker_url=url)
    try:
        yield
    finally:
        current_app.conf.update(before)


@pytest.fixture
def broker_here(broker: str) -> Iterator[str]:
    """Each broker in turn, empty, as the one that this process's Celery app talks to."""
    with talking_to(broker):
        yield broker


@pytest.fixture
def relay_here(broker_here: str, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """A relay whose batches the test runs, with a rescue in each."""
    assert queue_named("probe").window >= WINDOW
    monkeypatch.setattr(relay, "RESCUE_SECONDS", 0.0)
    here = Relay()
    yield here
    here._let_go()
    connection.close()  # an engine session has short time limits, which other tests do not expect


def enqueue_many(count: int, **more: Any) -> list[int]:
    with transaction.atomic():
        return [enqueue(task="probe.leave_a_mark", args={"key": str(number)}, **more) for number in range(count)]
