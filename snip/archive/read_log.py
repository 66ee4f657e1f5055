"""Reading a stream from a place on, as clicks: each once, though a writer that heard no answer has sent it again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import redis

from snip.archive.metrics import MALFORMED, REPEATED
from snip.event import Click, MalformedClick, unpack
from snip.log.streams import FIELD

PAGE = 5_000
"""Entries in one answer of Redis: half a megabyte."""

REPEATS_WITHIN = 120_000
"""Milliseconds in the log between a click and its repeat. A writer that heard no answer tries again within seconds; on
both sides of a longer outage of Redis a batch may count twice.
"""


class Place(NamedTuple):
    """An entry's id: milliseconds and number. It orders as the stream does."""

    milliseconds: int
    number: int

    def __str__(self) -> str:
        return f"{self.milliseconds}-{self.number}"


START = Place(0, 0)


def place_of(entry: Any) -> Place:
    """The place that Redis names by ``entry``, in bytes."""
    milliseconds, _, number = entry.partition(b"-")
    return Place(int(milliseconds), int(number))


@dataclass(frozen=True)
class Page:
    """last: the place of the last entry read. Its clicks are those that are no repeats and not malformed."""

    clicks: Sequence[Click]
    last: Place
    is_end: bool


class Reader:
    """Reads one stream forwards from any place. It remembers the ids of the last two minutes; asked for another place
    than where it stands, it first reads back as far, so that what it yields depends on the log alone.
    """

    def __init__(self, *, client: redis.Redis, stream: str) -> None:
        self._client = client
        self._stream = stream
        self._at: Place | None = None
        self._seen: set[bytes] = set()
        self._order: deque[tuple[int, bytes]] = deque()

    def pages(self, *, after: Place, before: int | None = None) -> Iterator[Page]:
        """What stands after that place, page by page, to the end or before that millisecond. Raises RedisError."""
        if self._at != after:
            self._look_back(after)
        until = "+" if before is None else f"{before - 1}"
        while True:
            entries = self._range(f"({after}", until)
            if not entries:
                return
            after = place_of(entries[-1][0])
            clicks = [click for entry, fields in entries if (click := self._new(entry, fields)) is not None]
            self._at = after
            is_end = len(entries) < PAGE
            yield Page(clicks, after, is_end)
            if is_end:
                return

    def _look_back(self, place: Place) -> None:
        self._seen.clear()
        self._order.clear()
        since = f"{max(place.milliseconds - REPEATS_WITHIN, 0)}-0"
        while entries := self._range(since, str(place)):
            for entry, fields in entries:
                self._is_new(place_of(entry).milliseconds, fields.get(FIELD, b"")[1:17])
            since = f"({entries[-1][0].decode()}"
        self._at = place

    def _range(self, first: str, last: str) -> list[tuple[bytes, dict[bytes, bytes]]]:
        return self._client.xrange(self._stream, first, last, count=PAGE)  # type: ignore[return-value]

    def _new(self, entry: bytes, fields: dict[bytes, bytes]) -> Click | None:
        """The click of an entry; None for a repeat, and for what is none: the counter puts that to the dead letters."""
        packed = fields.get(FIELD, b"")
        try:
            click = unpack(packed)
        except MalformedClick:
            MALFORMED.inc()
            return None
        if not self._is_new(place_of(entry).milliseconds, packed[1:17]):
            REPEATED.inc()
            return None
        return click

    def _is_new(self, milliseconds: int, identifier: bytes) -> bool:
        while self._order and self._order[0][0] < milliseconds - REPEATS_WITHIN:
            self._seen.discard(self._order.popleft()[1])
        if identifier in self._seen:
            return False
        self._seen.add(identifier)
        self._order.append((milliseconds, identifier))
        return True
