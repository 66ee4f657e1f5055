"""A job's message as the bytes that AMQP 0-9-1 wants on the wire.

The client library builds a message in a tenth of a millisecond and writes each by itself, which is most of what the
relay's process does. All of ours are alike but for a few words, so they are put together here, and written many at
once. A test holds them against what the library makes of the same message.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from amqp.serialization import dumps

from jobs.broker.messages import FIXED_HEADERS, body_of, identity_of, own_headers_of
from jobs.transitions import Message

_BASIC, _PUBLISH = 60, 40
_METHOD, _HEADER, _BODY, _END = 1, 2, 3, b"\xce"
_MANDATORY = 1
_PERSISTENT = 2
# Which properties follow: content type, content encoding, headers, delivery mode, correlation id, reply to.
_FLAGS = 0x8000 | 0x4000 | 0x2000 | 0x1000 | 0x0400 | 0x0200

_frame_start = Struct(">BHI").pack  # type, channel, size
_method = Struct(">HHH").pack  # class, method, a reserved number
_header = Struct(">HHQH").pack  # class, weight, size of the body, flags
_size = Struct(">I").pack
_text = Struct(">cI").pack
_number = Struct(">ci").pack


def _short(text: str) -> bytes:
    encoded = text.encode()
    return bytes((len(encoded),)) + encoded


_FIXED = dumps("F", [FIXED_HEADERS])[4:]  # without its size
_CONTENT = _short("application/json") + _short("utf-8")
_NO_REPLY = _short("")


def publish_frames(message: Message, *, channel: int) -> bytes:
    """``basic.publish`` of the message to its queue, through the default exchange, mandatory, with header and body."""
    body = body_of(message)
    method = _method(_BASIC, _PUBLISH, 0) + _short("") + _short(message.queue) + bytes((_MANDATORY,))
    table = _FIXED + b"".join(_entry(name, value) for name, value in own_headers_of(message).items())
    header = b"".join(
        (
            _header(_BASIC, 0, len(body), _FLAGS),
            *(_CONTENT, _size(len(table)), table, bytes((_PERSISTENT,)), _short(identity_of(message)), _NO_REPLY),
        )
    )
    frames = ((_METHOD, method), (_HEADER, header), (_BODY, body))
    return b"".join(_frame_start(kind, channel, len(content)) + content + _END for kind, content in frames)


def _entry(name: str, value: Any) -> bytes:
    """One line of the table of headers."""
    if isinstance(value, int):
        return _short(name) + _number(b"I", value)
    encoded = value.encode()
    return _short(name) + _text(b"S", len(encoded)) + encoded
