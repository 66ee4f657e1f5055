"""What is left of a channel when Redis dies under a worker that is busy.

Redis whatever the broker: it is Redis whose channels open connections of their own.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import current_app
from kombu.connection import Connection

from tests.fixtures_jobs import broker_url
from tests.fixtures_relay import talking_to

QUEUE = f"lost-channel-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def busy_connection() -> Iterator[Connection]:
    """A worker's connection with one message that it has taken and not acknowledged."""
    with talking_to(broker_url("redis")):
        connection: Connection = current_app.connection_for_write()
        queue = connection.SimpleQueue(QUEUE)
        queue.put({"id": 1})
        queue.get(timeout=5)
        channel = connection.default_channel
        yield connection
        channel.qos._delivered.clear()  # or it would be given back once more when the tests end
        with current_app.connection_for_write() as cleaning:
            cleaning.default_channel.client.delete(QUEUE)


def closed_under(connection: Connection) -> Any:
    """The channel of a connection that kombu has given up, its own connections to Redis gone."""
    channel = connection.default_channel
    channel._disconnect_pools()
    connection.transport.client = None
    return channel


def test_a_busy_channel_whose_connection_is_gone_fails_as_a_lost_connection_which_no_worker_dies_of(
    busy_connection: Connection,
) -> None:
    channel = closed_under(busy_connection)
    with pytest.raises(redis.ConnectionError):
        channel.qos.restore_unacked()


def test_a_busy_connection_that_is_gone_can_be_released(busy_connection: Connection) -> None:
    closed_under(busy_connection)
    busy_connection.release()
