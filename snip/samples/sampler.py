"""Counting clicks for the figure of the last minutes, acknowledged before they are counted.

Guarantee: at most once. Redis takes an entry for dealt with in the moment in which it hands it out (``NOACK``): what a
sampler dies with is counted nowhere, and nothing is counted twice by a redelivery, since there is none. Whoever falls
behind leaves out what lies between: an old click tells nothing of the last minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import ResponseError

from snip.event import MalformedClick, unpack
from snip.log.streams import FIELD

GROUP = "sampler"
MOST = 2_000
"""Entries of each stream that one look takes. Where there are more, it goes on at the end."""

MINUTES = 5
"""What the figure tells of."""

KEPT_SECONDS = 60 * (MINUTES + 2)


class Sampler:
    """One process of the group; any number share the clicks among them. Every method raises redis.RedisError."""

    def __init__(self, *, client: redis.Redis, streams: Sequence[str], name: str) -> None:
        self._client = client
        self._given = self._streams = tuple(streams)
        self._name = name

    def follow(self, further: Sequence[str]) -> None:
        """From now on read these beside the streams that it was made with."""
        self._streams = (*self._given, *further)

    def begin(self) -> None:
        """Make the group where there is none, at the end of each stream: what is past tells nothing."""
        for stream in self._streams:
            try:
                self._client.xgroup_create(stream, GROUP, id="$", mkstream=True)
            except ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    def sample(self) -> int:
        """Take what has come and count it; return how many clicks of people were counted."""
        wanted: dict[Any, Any] = dict.fromkeys(self._streams, ">")
        answer: Any = self._client.xreadgroup(GROUP, self._name, wanted, count=MOST, noack=True)
        counts: Counter[tuple[int, str]] = Counter()
        for stream, entries in answer or ():
            if len(entries) == MOST:
                self._client.xgroup_setid(stream, GROUP, "$")
            for entry, fields in entries:
                try:
                    click = unpack(fields.get(FIELD, b""))
                except MalformedClick:
                    continue
                if not click.is_bot:
                    counts[int(entry.partition(b"-")[0]) // 60_000, click.code] += 1
        self._count(counts)
        return sum(counts.values())

    def _count(self, counts: Counter[tuple[int, str]]) -> None:
        with self._client.pipeline(transaction=False) as pipeline:
            for (minute, code), clicks in counts.items():
                pipeline.hincrby(_key(minute), code, clicks)
                pipeline.expire(_key(minute), KEPT_SECONDS)
            pipeline.execute()


def read_live(*, client: redis.Redis, codes: Sequence[str] | None) -> int:
    """Clicks of people on these codes in the last minutes, about; None for all codes. Raises redis.RedisError."""
    if codes is not None and not codes:
        return 0
    seconds, _microseconds = client.time()
    now = seconds // 60
    with client.pipeline(transaction=False) as pipeline:
        for minute in range(now - MINUTES + 1, now + 1):
            if codes is None:
                pipeline.hvals(_key(minute))
            else:
                pipeline.hmget(_key(minute), list(codes))
        return sum(int(count) for counts in pipeline.execute() for count in counts if count)


def _key(minute: int) -> str:
    return f"snip:live:{minute}"
