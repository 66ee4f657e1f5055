"""Publishing to RabbitMQ with pipelined confirms.

Confirming one message costs a round trip; confirming a batch costs about one too. All messages of a batch are
written first, then the broker's verdicts are read: an ack may speak for many, a nack is a refusal (the queue is
full), and a return says that no queue took the message (it is acked nevertheless, so the return comes first).
"""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import takewhile
from typing import Any

import amqp.exceptions
from celery import current_app
from kombu.exceptions import KombuError

from jobs.broker import DeadLetterHandler, topology
from jobs.broker.faults import LOOK_AGAIN_SECONDS
from jobs.broker.frames import publish_frames
from jobs.broker.messages import identity_of
from jobs.errors import BrokerUnavailable
from jobs.transitions import Message

CONFIRM_SECONDS = 10.0
"""How long a batch may wait for its confirms; a blocked broker (memory alarm) sends none."""

PIECE = 100
"""Messages that are written at once, some 70 kB."""

REDECLARE_SECONDS = 1.0
"""A quorum queue that is deleted and declared at once never cancels its old consumers, and they stay deaf."""


class AmqpPublisher:
    """One connection, one channel in confirm mode."""

    def __init__(self) -> None:
        # This channel counts its confirms itself; kombu's option would wait for each one.
        self.connection = current_app.connection_for_write(transport_options={"confirm_publish": False})
        self._errors = (*self.connection.connection_errors, *self.connection.channel_errors, KombuError, OSError)
        self._missing_since: float | None = None
        self._silent = False
        try:
            self.connection.ensure_connection(max_retries=1, timeout=5, interval_start=0.2)
            self._declare()
            self._open_channel()
        except self._errors as error:
            self.close()
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error

    def publish(self, messages: list[Message]) -> list[Message]:
        """See Publisher. One write for each ``PIECE``, and about one round trip for all."""
        self._declare_again()
        first = self._next_tag
        self._pending = dict(enumerate(messages, start=first))
        self._refused: dict[int, Message] = {}
        self._unroutable: set[str] = set()
        try:
            for start in range(0, len(messages), PIECE):
                self._write(messages[start : start + PIECE])
            self._await_verdicts()
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error
        if self._unroutable:
            self._missing_since = time.monotonic()
            for tag, message in enumerate(messages, start=first):
                if identity_of(message) in self._unroutable:
                    self._refused[tag] = message
        return list(self._refused.values())

    def is_usable(self, queue: str) -> bool:
        """See Publisher. A few round trips now and then while a queue has a fault, none otherwise."""
        self._declare_again()
        return queue not in self._unusable

    def ready_count(self, queue: str) -> int:
        """See Publisher. One round trip; a queue that does not exist holds nothing."""
        try:
            with self.connection.channel() as channel:
                return int(channel.queue_declare(queue, passive=True).message_count)
        except amqp.exceptions.NotFound:
            self._missing_since = self._missing_since or time.monotonic()
            return 0
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error

    def drain_dead_letters(self, settle: DeadLetterHandler, *, limit: int) -> int:
        """See Publisher. A message whose settling fails stays in the queue."""
        try:
            with self.connection.channel() as channel:
                for settled in range(limit):
                    message = channel.basic_get(topology.DEAD_LETTERS)
                    if message is None:
                        return settled
                    settle(dict(message.headers or {}), message.body, message.properties.get("content_type"))
                    channel.basic_ack(message.delivery_tag)
                return limit
        except amqp.exceptions.NotFound:
            self._missing_since = self._missing_since or time.monotonic()
            return 0
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """See Publisher. A broker that is blocked would not answer a farewell either, for as long as it may read."""
        if self._silent:
            self.connection.collect()
            return
        try:
            self.connection.release()
        except self._errors:
            return  # it was broken already

    def _open_channel(self) -> None:
        self.channel: Any = self.connection.channel()
        self.channel.confirm_select()
        self.channel.events["basic_ack"].add(self._on_ack)
        self.channel.events["basic_nack"].add(self._on_nack)
        self.channel.events["basic_return"].add(self._on_return)
        self._next_tag = 1

    def _write(self, messages: list[Message]) -> None:
        """Write some messages at once, and read the verdicts that are there, lest both sides wait for the other."""
        connection = self.channel.connection
        if connection is None or not connection.connected:
            raise amqp.exceptions.RecoverableConnectionError("The channel was closed.")
        frames = b"".join(publish_frames(message, channel=self.channel.channel_id) for message in messages)
        # Counted before they are written: what fails half way has used its tags up.
        self._next_tag += len(messages)
        connection.transport.write(frames)
        with suppress(TimeoutError):
            while True:
                self.connection.drain_events(timeout=0)

    def _await_verdicts(self) -> None:
        deadline = time.monotonic() + CONFIRM_SECONDS
        while self._pending:
            try:
                self.connection.drain_events(timeout=max(deadline - time.monotonic(), 0.001))
            except TimeoutError as error:
                self._silent = True
                raise BrokerUnavailable("No confirm in time: is the broker blocked?") from error

    def _tags(self, tag: int, multiple: bool) -> list[int]:
        """Those that a verdict speaks for. Tags are pending in their order."""
        return list(takewhile(lambda pending: pending <= tag, self._pending)) if multiple else [tag]

    def _on_ack(self, tag: int, multiple: bool) -> None:
        for acked in self._tags(tag, multiple):
            self._pending.pop(acked, None)

    def _on_nack(self, tag: int, multiple: bool) -> None:
        for nacked in self._tags(tag, multiple):
            message = self._pending.pop(nacked, None)
            if message is not None:
                self._refused[nacked] = message

    def _on_return(self, error: Exception, exchange: str, routing_key: str, message: Any) -> None:
        self._unroutable.add(message.properties.get("correlation_id", ""))

    def _declare(self) -> None:
        self._missing_since = None
        self._unusable = topology.declare(self.connection, amqp=True)
        self._look_again_at = time.monotonic() + LOOK_AGAIN_SECONDS

    def _declare_again(self) -> None:
        """Declare what was found missing a while ago, and look now and then whether a queue with a fault is mended."""
        now = time.monotonic()
        try:
            if self._missing_since is not None:
                if now - self._missing_since >= REDECLARE_SECONDS:
                    self._declare()
            elif self._unusable and now >= self._look_again_at:
                for queue in self._unusable:
                    self.ready_count(queue)  # notes one that was deleted, which must not be declared at once
                if self._missing_since is None:
                    self._declare()
        except self._errors as error:
            raise BrokerUnavailable(f"{type(error).__name__}: {error}") from error
