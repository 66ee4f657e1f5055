"""Which streams the log has, and which of them a click belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import redis

PREFIX = "snip:clicks:"
FIELD = b"c"  # the one field of an entry: the packed click
MOST_STREAMS = 64


def stream_names(count: int) -> tuple[str, ...]:
    """Return the names of all streams of a log that has ``count`` of them."""
    return tuple(f"{PREFIX}{number}" for number in range(count))


def marks_of(stream: str) -> str:
    """Return the name of the hash beside a stream: how many entries it ever got, and how far each group has come."""
    return f"{stream}:marks"


def stream_number(identifier: bytes, *, count: int) -> int:
    """Return the stream of the click with this id, whose 16 bytes are given, from 0 on.

    By the id and not by the code, so that a code that everybody clicks on spreads over all streams.
    """
    return crc32(identifier) % count


def further_streams(*, client: redis.Redis, count: int) -> Sequence[str]:
    """Return the streams beyond the first ``count`` that Redis has: of processes that know another number of them.

    While that number changes, and until the log lets go of what was written before, they are read like the others.
    One round trip. Raises redis.RedisError.
    """
    names = stream_names(MOST_STREAMS)[count:]
    with client.pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.exists(name)
        return [name for name, there in zip(names, pipeline.execute(), strict=True) if there]
