"""Publishing to Redis in pipelined batches.

A batch is one pipeline, sent once and never repeated by the client: if its answer is missing, the whole batch is
in doubt and goes back to the ledger. A message that was taken after all is skipped by the claim (I5).
"""

from __future__ import annotations

from celery import current_app
from kombu.exceptions import KombuError

from jobs.broker import DeadLetterHandler, topology
from jobs.broker.messages import body_of, headers_of, properties_of
from jobs.errors import BrokerUnavailable
from jobs.transitions import Message


class RedisPublisher:
    """One connection; queues are lists that exist while they hold something."""

    def __init__(self) -> None:
        self.connection = current_app.connection_for_write()
        self._errors = (*self.connection.connection_errors, *self.connection.channel_errors, KombuError, OSError)
        try:
            self.connection.ensure_connection(max_retries=1, timeout=5, interval_start=0.2)
            topology.declare(self.connection, amqp=False)
            self.producer = self.connection.Producer(auto_declare=False)
        except self._errors as error:
            self.close()
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error

    def publish(self, messages: list[Message]) -> list[Message]:
        """See Publisher. Redis refuses nothing short of failing."""
        try:
            with self.producer.batch(max_size=max(len(messages), 1)):
                for message in messages:
                    self.producer.publish(
                        body_of(message),
                        exchange="",
                        routing_key=message.queue,
                        serializer=None,
                        content_type="application/json",
                        content_encoding="utf-8",
                        headers=headers_of(message),
                        **properties_of(message),
                    )
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error
        return []

    def ready_count(self, queue: str) -> int:
        """See Publisher. The lengths of all priority sub-lists, in one round trip."""
        try:
            return int(self.producer.channel._size(queue))
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error

    def drain_dead_letters(self, settle: DeadLetterHandler, *, limit: int) -> int:
        """See Publisher. Redis has no dead-letter exchange."""
        return 0

    def close(self) -> None:
        """See Publisher."""
        try:
            self.connection.release()
        except self._errors:
            return  # it was broken already
