"""The conveyor: the broker's queues, the messages on them, and how the relay puts them there.

``open_publisher`` chooses by the broker's URL. Both publishers keep one promise: what ``publish`` does not return
as refused has been taken by the broker, and whatever is in doubt is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from celery import current_app
from kombu.connection import Connection

from jobs.transitions import Message

DeadLetterHandler = Callable[[dict[str, Any], Any, Any], None]
"""Takes the headers, the body and the content type of a message, all of them as a stranger may have sent them."""


class Publisher(Protocol):
    """A connection to the broker, for the relay."""

    def publish(self, messages: list[Message]) -> list[Message]:
        """Publish messages of one queue in order and return what was refused or is in doubt.

        Raises BrokerUnavailable, and QueueUnusable when it is this queue alone that does not work.
        """

    def is_usable(self, queue: str) -> bool:
        """Whether ``queue`` can be used; looks again every few seconds at one that could not.

        Raises BrokerUnavailable.
        """

    def ready_count(self, queue: str) -> int:
        """Messages that wait in ``queue`` and are at no worker yet. Raises BrokerUnavailable or QueueUnusable."""

    def drain_dead_letters(self, settle: DeadLetterHandler, *, limit: int) -> int:
        """Hand up to ``limit`` dead-lettered messages to ``settle``, acknowledging each afterwards; return how many.

        Raises BrokerUnavailable.
        """

    def close(self) -> None:
        """Give the connection back; never raises."""


def is_amqp(connection: Connection) -> bool:
    """Whether the broker speaks AMQP (RabbitMQ); otherwise it is Redis."""
    return connection.transport.driver_type == "amqp"


def open_publisher() -> Publisher:
    """Connect, declare the queues, and return a publisher. Raises BrokerUnavailable within seconds."""
    from jobs.broker.amqp import AmqpPublisher
    from jobs.broker.redis import RedisPublisher

    connection = current_app.connection_for_write()
    return AmqpPublisher() if is_amqp(connection) else RedisPublisher()
