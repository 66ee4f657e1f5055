"""Reading the log as one consumer of a group, which acknowledges what it has dealt with.

Guarantee: an entry is given again until somebody acknowledges it, as long as the log has it: what a consumer held that
died is taken over once it has been silent for long. What the log shed before the group had dealt with it is counted,
each entry once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import redis

from snip.log.scripts import CLAIM, ENSURE, FORGET, LOOK, READ
from snip.log.streams import marks_of


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a stream. packed: the click in bytes, empty if the entry is of another make."""

    stream: str
    id: bytes
    packed: bytes


@dataclass(frozen=True)
class Taken:
    """What a consumer was given. lost: entries that were gone before the group had dealt with them."""

    entries: Sequence[Entry] = field(default_factory=tuple)
    lost: int = 0


@dataclass(frozen=True)
class Standing:
    """Of a group, over all streams, in entries. lag: not given to anybody. pending: given and not acknowledged. lost:
    since the group was made.
    """

    lag: int
    pending: int
    lost: int


class Consumer:
    """One consumer of ``group``, by a name that nobody else has. Every method raises redis.RedisError."""

    def __init__(self, *, client: redis.Redis, streams: Sequence[str], group: str, name: str) -> None:
        self._client = client
        self._given = self._streams = tuple(streams)
        self._group = group
        self._name = name
        self._scripts = {script: client.register_script(script) for script in (CLAIM, ENSURE, FORGET, LOOK, READ)}

    @property
    def streams(self) -> Sequence[str]:
        """Which streams it reads."""
        return self._streams

    def follow(self, further: Sequence[str]) -> None:
        """From now on read these beside the streams that it was made with."""
        self._streams = (*self._given, *further)

    def ensure_group(self) -> bool:
        """Make the group for each stream that has none, before its first entry; whether there was one to make."""
        return sum(self._call(ENSURE, stream) for stream in self._streams) > 0

    def read(self, *, most: int) -> Taken:
        """Take new entries, at most so many of each stream. It does not wait for any."""
        return self._take(READ, most)

    def claim(self, *, most: int, idle: timedelta) -> Taken:
        """Take over entries that others have held for ``idle``, at most so many of each stream.

        What this consumer was given itself, and has not acknowledged for so long, is among them.
        """
        return self._take(CLAIM, most, int(idle.total_seconds() * 1000))

    def acknowledge(self, entries: Sequence[Entry]) -> None:
        """Say that ``entries`` are dealt with, whoever holds them meanwhile. One round trip."""
        by_stream: dict[str, list[bytes]] = {}
        for entry in entries:
            by_stream.setdefault(entry.stream, []).append(entry.id)
        with self._client.pipeline(transaction=False) as pipeline:
            for stream, ids in by_stream.items():
                pipeline.xack(stream, self._group, *ids)
            pipeline.execute()

    def forget_the_silent(self, *, after: timedelta) -> int:
        """Remove the consumers that hold nothing and have not been heard of for so long; return how many."""
        milliseconds = int(after.total_seconds() * 1000)
        return sum(self._call(FORGET, stream, "", milliseconds) for stream in self._streams)

    def leave(self) -> None:
        """Remove this consumer where it holds nothing. What it still holds is given to others."""
        for stream in self._streams:
            self._call(FORGET, stream, self._name, 0)

    def standing(self) -> Standing:
        """How far the whole group is."""
        found = [self._call(LOOK, stream) for stream in self._streams]
        return Standing(*(sum(column) for column in zip(*found, strict=True)))

    def _take(self, script: str, most: int, *further: int) -> Taken:
        entries: list[Entry] = []
        lost = 0
        for stream in self._streams:
            missing, *flat = self._call(script, stream, self._name, most, *further)
            lost += missing
            entries += [Entry(stream, id, packed) for id, packed in zip(flat[::2], flat[1::2], strict=True)]
        return Taken(entries, lost)

    def _call(self, script: str, stream: str, *values: str | int) -> Any:
        return self._scripts[script](keys=[stream, marks_of(stream)], args=[self._group, *values])
