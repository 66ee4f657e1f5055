"""Clicks that wait to be written into the log: bounded, and a click that finds no room is dropped and counted."""

from __future__ import annotations


class Buffer:
    """At most ``bound`` packed clicks. ``refused`` counts those that found no room.

    A list, though clicks leave it in front: they leave a batch at a time, and nothing takes or drops a batch quicker.
    """

    def __init__(self, *, bound: int) -> None:
        self.refused = 0
        self._clicks: list[bytes] = []
        self._bound = bound

    def __len__(self) -> int:
        return len(self._clicks)

    def put(self, packed: bytes) -> None:
        """Add a click, or count it where there is no room. Waits for nothing."""
        if len(self._clicks) < self._bound:
            self._clicks.append(packed)
        else:
            self.refused += 1

    def oldest(self, number: int) -> list[bytes]:
        """The ``number`` clicks that wait longest, which stay until ``forget`` is told of them."""
        return self._clicks[:number]

    def forget(self, number: int) -> None:
        """Drop as many of the oldest: they are in the log, or given up."""
        del self._clicks[:number]
