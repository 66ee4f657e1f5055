"""Publishing to Redis in pipelined batches.

A batch is one pipeline, sent once and never repeated by the client: if its answer is missing, the whole batch is
in doubt and goes back to the ledger. A message that was taken after all is skipped by the claim (I5).
"""

from __future__ import annotations

import time

from celery import current_app
from kombu.exceptions import KombuError

from jobs.broker import DeadLetterHandler, topology
from jobs.broker.faults import LOOK_AGAIN_SECONDS, QueueUnusable
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
            self._declare()
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
            raise self._failure(error, queue=messages[0].queue) from error
        return []

    def is_usable(self, queue: str) -> bool:
        """See Publisher. A round trip for each queue while one of them has a fault, none otherwise."""
        if self._unusable and time.monotonic() >= self._look_again_at:
            try:
                self._declare()
            except self._errors as error:
                raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error
        return queue not in self._unusable

    def ready_count(self, queue: str) -> int:
        """See Publisher. The lengths of all priority sub-lists, in one round trip."""
        try:
            return int(self.producer.channel._size(queue))
        except self._errors as error:
            raise self._failure(error, queue=queue) from error

    def drain_dead_letters(self, settle: DeadLetterHandler, *, limit: int) -> int:
        """See Publisher. Redis has no dead-letter exchange."""
        return 0

    def close(self) -> None:
        """See Publisher."""
        try:
            self.connection.release()
        except self._errors:
            return  # it was broken already

    def _declare(self) -> None:
        self._unusable = topology.declare(self.connection, amqp=False)
        self._look_again_at = time.monotonic() + LOOK_AGAIN_SECONDS

    def _failure(self, error: BaseException, *, queue: str) -> Exception:
        """What to raise: it may be one queue that does not work, or the broker."""
        if topology.is_wrong_type(error) or topology.is_wrong_type(error.__cause__):
            topology.note_wrong_type(queue=queue)
            self._unusable.add(queue)
            return QueueUnusable(queue)
        return BrokerUnavailable(f"{type(error).__name__}: {error}")
