"""When it is by another machine's clock, told by ours that only grows.

Its answer names a moment between our question and our reading of the answer. On a busy machine a good part of a second
may lie between the two, and calls that were planned from the reading would all be late by that without knowing it. So
what is kept is the quickest of the answers so far, inside what the present one allows.
"""

from __future__ import annotations

import threading

DRIFT = 1e-4
"""Seconds in a second: how far clocks may run apart. What was found once counts for less as time goes by."""


class ServerClock:
    """One for each server; for all threads. Seconds throughout."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ahead = float("inf")
        self._noted_at = 0.0

    def note(self, *, asked: float, answered: float, told: float) -> float:
        """How far our clock is ahead of the server's.

        asked, answered: by ours, before the question and after the answer. told: by the server's, in between. A clock
        that was set shows at once, since no result lies outside of what this answer allows.
        """
        earliest, latest = asked - told, answered - told
        with self._lock:
            known = self._ahead + DRIFT * (answered - self._noted_at)
            self._ahead, self._noted_at = min(max(known, earliest), latest), answered
            return self._ahead
