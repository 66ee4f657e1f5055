"""Celery's Redis transport, with a guard in front of kombu's own reading.

On Redis a message is a list item that kombu takes for its envelope: a JSON object with properties, a delivery tag and
an address. Anybody can push something else. A missing key kombu mistakes for a lost connection and starts the worker
over; anything worse ends the worker, and the item, popped already, is gone without a trace. Guarantee: what is no
envelope is recorded as a dead letter and the worker goes on. So it does when a key that should be a queue holds no list
at all: it is left out for a while, since Redis answers a question for several queues with an error if one of them is
wrong.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty
from typing import Any

import redis
import structlog
from kombu.transport.redis import Channel, QoS, Transport

from jobs import metrics
from jobs.broker.faults import LOOK_AGAIN_SECONDS, note_usable
from jobs.broker.topology import is_wrong_type, note_wrong_type
from jobs.dead.letters import keep_if_possible

log = structlog.get_logger(__name__)

LARGEST_ENVELOPE_BYTES = 65_536
"""An envelope of ours has about 1,000; a larger item is not even parsed."""


def fault_of_item(item: bytes) -> str | None:
    """Say why kombu could not read a list item as an envelope; None when it can."""
    if len(item) > LARGEST_ENVELOPE_BYTES:
        return "envelope is too large"
    try:
        return fault_of_envelope(json.loads(item))
    except (ValueError, RecursionError):
        return "envelope is not JSON"


def fault_of_envelope(envelope: Any) -> str | None:
    """Say what kombu would stumble over in a decoded envelope; None when there is nothing."""
    try:
        properties = envelope["properties"]
        address = properties["delivery_info"]
        headers = envelope.get("headers") or {}
        body, encoding = envelope.get("body") or "", properties.get("body_encoding") or "utf-8"
        texts = [
            body,
            encoding,
            properties["delivery_tag"],
            address["exchange"],
            address["routing_key"],
            envelope.get("content-type") or "",
            envelope.get("content-encoding") or "",
        ]
        if not isinstance(headers, dict) or not all(isinstance(text, str) for text in texts):
            return "no message envelope"
        if encoding == "base64":
            base64.b64decode(body)
        elif encoding != "utf-8":
            return "body has an unknown encoding"
    except (TypeError, LookupError, AttributeError):
        return "no message envelope"
    except ValueError:
        return "body is not base64"
    return "body is compressed" if "compression" in headers else None


class GuardedClient(redis.Redis):
    """Looks at each item that a worker pops, before kombu does."""

    def parse_response(self, connection: Any, command_name: Any, **options: Any) -> Any:
        """The reply, or None as after a BRPOP that ran out of time when the item is no envelope."""
        response = super().parse_response(connection, command_name, **options)
        if command_name != "BRPOP" or not response:
            return response
        key, item = response
        fault = fault_of_item(item)
        if fault is None:
            return response
        _set_aside(queue=key.decode("utf-8", "replace"), item=item, reason=fault)
        return None


class PlainQoS(QoS):
    """kombu's list of messages that are out, kept without a transaction for each entry.

    That costs a worker half as much, twice for each message. A Redis that dies between the two halves of an entry may
    forget a message, as it may forget any; the ledger publishes it again.
    """

    @contextmanager
    def pipe_or_acquire(self, pipe: Any = None, client: Any = None) -> Iterator[Any]:
        """The pipe that was given, or one whose commands leave together."""
        if pipe:
            yield pipe
            return
        with self.channel.conn_or_acquire(client) as server:
            yield server.pipeline(transaction=False)


class GuardedChannel(Channel):
    """kombu's channel with the guarded client, which leaves out queues that it cannot read."""

    QoS = PlainQoS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._left_out: set[str] = set()
        self._left_out_until = 0.0
        self._kept_client: redis.Redis | None = None
        super().__init__(*args, **kwargs)

    @property
    def active_queues(self) -> list[str]:
        """The queues to ask for messages now."""
        queues: list[str] = super().active_queues
        if self._left_out and time.monotonic() < self._left_out_until:
            return [queue for queue in queues if queue not in self._left_out]
        return queues

    def _brpop_start(self, timeout: float | None = None) -> None:
        if self._left_out and time.monotonic() >= self._left_out_until:
            self._leave_out_wrong_queues()
        super()._brpop_start(timeout)

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except redis.ResponseError as error:
            if not is_wrong_type(error):
                raise
            self._leave_out_wrong_queues()
            raise Empty from error

    def _leave_out_wrong_queues(self) -> None:
        with self.conn_or_acquire() as client:
            for queue in super().active_queues:
                types = {client.type(self._q_for_pri(queue, step)) for step in self.priority_steps}
                if types <= {b"list", b"none"}:
                    self._left_out.discard(queue)
                    note_usable(queue=queue)
                else:
                    self._left_out.add(queue)
                    note_wrong_type(queue=queue)
        self._left_out_until = time.monotonic() + LOOK_AGAIN_SECONDS
        self._update_queue_cycle()

    def _get_client(self) -> type[redis.Redis]:
        super()._get_client()  # refuses versions of the client that are too old
        return GuardedClient

    def _create_client(self, asynchronous: bool = False) -> redis.Redis:
        """kombu makes a client for each command, which takes as long as the command. It holds no connection."""
        if asynchronous:
            return super()._create_client(asynchronous=True)
        if self._kept_client is None or self._kept_client.connection_pool is not self.pool:
            self._kept_client = super()._create_client()
        return self._kept_client

    def _connparams(self, asynchronous: bool = False) -> Any:
        """The parameters of a new connection, asked for again by a channel that outlived its own.

        When Redis dies while messages are at work, kombu takes the address away first and then gives the messages
        back, or acknowledges one, through the old channel. It expects a lost connection there; what it met was an
        AttributeError, which ended the worker.
        """
        if self.connection.client is None:
            raise redis.ConnectionError("This channel's connection has been closed.")
        return super()._connparams(asynchronous=asynchronous)

    def _deliver_fanout_message(self, message: Any, exchange: str) -> bool:
        """Remote control's messages come by another way, and are just as open to strangers."""
        fault = fault_of_envelope(message)
        if fault is not None:
            log.warning("control_message_dropped", reason=fault)
            return False
        return bool(super()._deliver_fanout_message(message, exchange))


class GuardedTransport(Transport):
    """The transport that ``CELERY_BROKER_TRANSPORT`` names where the broker is Redis."""

    Channel = GuardedChannel


def _set_aside(*, queue: str, item: bytes, reason: str) -> None:
    metrics.SKIPPED.labels(reason="malformed").inc()
    keep_if_possible(queue=queue, reason=reason, headers={}, body=item)
