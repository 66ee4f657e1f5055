"""Writing the clicks of a spike, at a rate, as the redirect writes real ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import redis

from snip.event import AgentClass, join, pack_code, pack_visitor
from snip.log.append import SCRIPT, arguments
from snip.log.bounds import Bounds, Policy
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
        self._codes = [pack_code(f"spike{code}") for code in range(codes)]
        self._visitor = pack_visitor(agent=AgentClass.MOBILE, country="DE", referrer="example.org")
        self._turns = itertools.cycle(STREAMS)  # as even as the hash of ids makes it, without asking it
        self._bounds = Bounds(streams=len(STREAMS), length=length, policy=Policy.REFUSE)
        self.written = 0

    def write(self, number: int) -> None:
        """Write so many. Raises LogFull, and redis.RedisError."""
        for each in (min(BATCH, number - at) for at in range(0, number, BATCH)):
            stream = next(self._turns)
            told = arguments(self._clicks(each), bounds=self._bounds)
            written, _, refused = self._append(keys=[stream, marks_of(stream)], args=told)
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
        codes = random.choices(self._codes, k=number)  # noqa: S311  (not a secret)
        return [join(each.to_bytes(16), code, self._visitor) for each, code in enumerate(codes, start=first)]


def _first_needed(client: redis.Redis, stream: str, group: str) -> bytes:
    oldest = client.xpending(stream, group)["min"]
    if oldest:
        return bytes(oldest)
    (given,) = (each["last-delivered-id"] for each in client.xinfo_groups(stream) if each["name"] == group.encode())
    return bytes(given)
