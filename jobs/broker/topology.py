"""The broker's queues: what Celery consumes from and the relay publishes to.

On RabbitMQ every work queue is a quorum queue with a dead-letter exchange. The delivery limit lies far above the
ledger's own cap, since RabbitMQ counts prefetched messages as delivered each time a connection closes. On Redis a
queue is a list, and these arguments mean nothing. Declaring never fails over one queue that cannot be used (see
``faults.py``): the others are declared all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import redis.exceptions
from amqp.exceptions import PreconditionFailed
from kombu.connection import Connection
from kombu.entity import Exchange
from kombu.entity import Queue as BrokerQueue
from kombu.transport import virtual

from jobs.broker.faults import note_fault, note_usable
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

DELETE_QUEUE = "Its arguments cannot be changed: let workers empty it, then delete it. It is declared again by itself."
DELETE_KEY = "Delete the key, and find out who writes to it."


class WorkQueue(BrokerQueue):
    """A queue whose fault does not stop the worker or the relay that declares it among others.

    A worker consumes from it nevertheless: what stands in a queue with other arguments is worked off, and when it is
    deleted the worker declares the right one.
    """

    def declare(self, nowait: bool = False, channel: Any = None) -> str:
        """Declare the queue, note what is wrong with it, and return its name."""
        self.is_usable(channel=channel)
        return str(self.name)

    def is_usable(self, *, channel: Any = None) -> bool:
        """Declare the queue and say whether it is now as it should be."""
        channel = channel or self.channel
        try:
            if isinstance(channel, virtual.Channel):
                super().declare(channel=channel)
            else:
                # RabbitMQ closes the channel on which a declaration fails, with all consumers on it.
                with channel.connection.channel() as own:
                    super().declare(channel=own)
        except PreconditionFailed as error:
            note_fault(queue=self.name, fault=error.reply_text, mend=DELETE_QUEUE)
        except redis.exceptions.ResponseError as error:
            if not is_wrong_type(error):
                raise
            note_wrong_type(queue=self.name)
        else:
            note_usable(queue=self.name)
            return True
        return False


def is_wrong_type(error: BaseException | None) -> bool:
    """Whether Redis complains of a key that holds something else than a list."""
    return isinstance(error, redis.exceptions.ResponseError) and "WRONGTYPE" in str(error)


def note_wrong_type(*, queue: str) -> None:
    """Note the fault that a queue has on Redis."""
    note_fault(queue=queue, fault="A key of this name holds no list.", mend=DELETE_KEY)


def work_queues(queues: Iterable[Queue]) -> tuple[WorkQueue, ...]:
    """One durable queue for each row of the table, reached through the default exchange by its name."""
    return tuple(
        WorkQueue(queue.name, routing_key=queue.name, queue_arguments=_WORK_ARGUMENTS, durable=True) for queue in queues
    )


@cache
def dead_letter_queue() -> WorkQueue:
    """Where the dead-letter exchange leads to."""
    exchange = Exchange(DEAD_LETTERS, type="fanout", durable=True)
    return WorkQueue(DEAD_LETTERS, exchange=exchange, queue_arguments={"x-queue-type": "quorum"}, durable=True)


def declare(connection: Connection, *, amqp: bool) -> set[str]:
    """Declare all queues, and return the names of those that cannot be used; declaring one that exists changes nothing.

    Raises what the connection raises.
    """
    queues = [*([dead_letter_queue()] if amqp else []), *work_queues(all_queues())]
    with connection.channel() as channel:
        return {queue.name for queue in queues if not queue(channel).is_usable()}
