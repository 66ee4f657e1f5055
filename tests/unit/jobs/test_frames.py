"""What we put on the wire ourselves, held against what the client library makes of the same message."""

from __future__ import annotations

import amqp
from amqp.method_framing import frame_writer
from amqp.serialization import dumps
from amqp.spec import Basic
from hypothesis import example, given
from hypothesis import strategies as st

from jobs.broker.frames import publish_frames
from jobs.broker.messages import (
    LARGEST_ID,
    LARGEST_NUMBER,
    body_of,
    headers_of,
    identity_of,
    own_headers_of,
    properties_of,
)
from jobs.transitions import Message

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
MESSAGES = st.builds(
    Message,
    job_id=st.integers(1, LARGEST_ID),
    using=st.sampled_from(["default", "shard_2"]),
    queue=TEXT,
    task=TEXT,
    publish_number=st.integers(1, LARGEST_NUMBER),
    correlation_id=TEXT,
)


class Wire:
    """Takes what the library writes."""

    frame_max = 131_072
    bytes_sent = 0

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += bytes(data)


def _by_the_library(message: Message, *, channel: int) -> bytes:
    """As ``basic_publish`` does, with our order of the headers: a table has none."""
    wire = Wire()
    fixed = {name: value for name, value in headers_of(message).items() if name not in own_headers_of(message)}
    content = amqp.Message(
        body_of(message),
        content_type="application/json",
        content_encoding="utf-8",
        application_headers={**fixed, **own_headers_of(message)},
        **properties_of(message),
    )
    arguments = dumps("Bssbb", (0, "", message.queue, True, False))
    frame_writer(wire, wire)(1, channel, Basic.Publish, arguments, content)
    return wire.written


@given(message=MESSAGES, channel=st.integers(1, 65_535))
@example(message=Message(1, "default", "default", "tickets.issue_tickets", 1, "0" * 64), channel=1)
def test_the_frames_are_those_of_the_library(message: Message, channel: int) -> None:
    assert publish_frames(message, channel=channel) == _by_the_library(message, channel=channel)


def test_what_the_broker_returns_names_the_publication() -> None:
    message = Message(7, "default", "probe", "probe.call", 3, "request-1")
    assert properties_of(message)["correlation_id"] == identity_of(message) == headers_of(message)["id"]
