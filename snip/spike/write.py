"""Writing the clicks of a spike, at a rate, as the redirect writes real ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import redis

from snip.event import AgentClass, Click, pack
from snip.log.append import SCRIPT
from snip.log.bounds import KEPT, Policy
from snip.log.streams import marks_of
from snip.spike.ground import STREAMS
from snip.uuid7 import uuid7

BATCH = 500
"""Of one call of the script, as the redirect does it."""


class LogFull(Exception):
    """The spike's log is full: fewer --seconds, a lower --rate, or more room by SNIP_LOG_LENGTH."""


class Writer:
    """Writes clicks on ``codes`` codes into the spike's streams, ``length`` in all of them at most."""

    def __init__(self, *, client: redis.Redis, codes: int, length: int) -> None:
        self._client = client
        self._append = client.register_script(SCRIPT)
        self._packed = [
            pack(Click(uuid7(), f"spike{code}", "DE", AgentClass.MOBILE, "example.org")) for code in range(codes)
        ]
        self._turns = itertools.cycle(STREAMS)  # as even as the hash of ids makes it, without asking it
        self._limits = (length // len(STREAMS), int(KEPT.total_seconds()), str(Policy.REFUSE))
        self.written = 0

    def write(self, number: int) -> None:
        """Write so many. Raises LogFull, and redis.RedisError."""
        for each in (min(BATCH, number - at) for at in range(0, number, BATCH)):
            stream = next(self._turns)
            written, _, refused = self._append(
                keys=[stream, marks_of(stream)], args=[*self._limits, *self._clicks(each)]
            )
            self.written += written
            if refused:
                raise LogFull

    def trim(self, *, group: str) -> None:
        """Let go of what was counted, so that the log's room is for what waits."""
        for stream in STREAMS:
            self._client.xtrim(stream, minid=_first_needed(self._client, stream, group), approximate=True)

    def _clicks(self, number: int) -> Sequence[bytes]:
        """Of this moment. The ids of a batch follow each other: whoever writes must not be slower than who counts."""
        first = uuid7().int & ~0xFFFF
        chosen = random.choices(self._packed, k=number)  # noqa: S311  (not a secret)
        return [
            packed[:1] + identifier.to_bytes(16) + packed[17:] for identifier, packed in enumerate(chosen, start=first)
        ]


def _first_needed(client: redis.Redis, stream: str, group: str) -> bytes:
    oldest = client.xpending(stream, group)["min"]
    if oldest:
        return bytes(oldest)
    (given,) = (each["last-delivered-id"] for each in client.xinfo_groups(stream) if each["name"] == group.encode())
    return bytes(given)
