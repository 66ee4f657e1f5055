"""The broker's queues: what Celery consumes from and the relay publishes to.

On RabbitMQ every work queue is a quorum queue with a dead-letter exchange. The delivery limit lies far above the
ledger's own cap, since RabbitMQ counts prefetched messages as delivered each time a connection closes. On Redis a
queue is a list, and these arguments mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kombu.connection import Connection
from kombu.entity import Exchange
from kombu.entity import Queue as BrokerQueue

from jobs.queues import MAX_LENGTH, Queue, all_queues

DEAD_LETTERS = "ledger.dead"
DELIVERY_LIMIT = 20

_WORK_ARGUMENTS = {
    "x-queue-type": "quorum",
    "x-delivery-limit": DELIVERY_LIMIT,
    "x-dead-letter-exchange": DEAD_LETTERS,
    "x-dead-letter-strategy": "at-least-once",
    "x-overflow": "reject-publish",
    "x-max-length": MAX_LENGTH,
}


def work_queues(queues: Iterable[Queue]) -> tuple[BrokerQueue, ...]:
    """One durable queue for each row of the table, reached through the default exchange by its name."""
    return tuple(
        BrokerQueue(queue.name, routing_key=queue.name, queue_arguments=_WORK_ARGUMENTS, durable=True)
        for queue in queues
    )


@cache
def dead_letter_queue() -> BrokerQueue:
    """Where the dead-letter exchange leads to."""
    exchange = Exchange(DEAD_LETTERS, type="fanout", durable=True)
    return BrokerQueue(DEAD_LETTERS, exchange=exchange, queue_arguments={"x-queue-type": "quorum"}, durable=True)


def declare(connection: Connection, *, amqp: bool) -> None:
    """Declare all queues; declaring one that exists changes nothing."""
    with connection.channel() as channel:
        if amqp:
            dead_letter_queue()(channel).declare()
        for queue in work_queues(all_queues()):
            queue(channel).declare()
