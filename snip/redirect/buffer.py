"""Clicks that wait to be written into the log: bounded, and a click that finds no room is dropped and counted."""

from __future__ import annotations

from collections import deque
from itertools import islice
from uuid import UUID


class Buffer:
    """At most ``bound`` clicks, each an id and its packed click. ``refused`` counts those that found no room."""

    def __init__(self, *, bound: int) -> None:
        self.refused = 0
        self._clicks: deque[tuple[UUID, bytes]] = deque()
        self._bound = bound

    def __len__(self) -> int:
        return len(self._clicks)

    def put(self, identifier: UUID, packed: bytes) -> None:
        """Add a click, or count it where there is no room. Waits for nothing."""
        if len(self._clicks) < self._bound:
            self._clicks.append((identifier, packed))
        else:
            self.refused += 1

    def oldest(self, number: int) -> list[tuple[UUID, bytes]]:
        """The ``number`` clicks that wait longest, which stay until ``forget`` is told of them."""
        return list(islice(self._clicks, number))

    def forget(self, number: int) -> None:
        """Drop as many of the oldest: they are in the log, or given up."""
        for _ in range(number):
            self._clicks.popleft()
