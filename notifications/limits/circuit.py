"""Not asking a Redis that is away, so that a call waits for it once in a while and not each time."""

from __future__ import annotations

import threading
import time

REST_SECONDS = 5.0
"""How long nobody of this process asks again. One of them then tries, and the others go on without it meanwhile."""


class Circuit:
    """Whether to ask; one for each process, for all of its threads. Seconds are those of a clock that only grows."""

    def __init__(self, *, rest_seconds: float = REST_SECONDS) -> None:
        self._rest_seconds = rest_seconds
        self._lock = threading.Lock()
        self._failing = False
        self._closed_again_at = 0.0

    def is_closed(self) -> bool:
        """Whether to ask now. After a failure and its rest it says so to one caller, who then tells how it went."""
        with self._lock:
            if not self._failing:
                return True
            now = time.monotonic()
            if now < self._closed_again_at:
                return False
            self._closed_again_at = now + self._rest_seconds
            return True

    def note_failure(self) -> bool:
        """It did not answer. True for the first time in a row, which is worth a line in the log."""
        with self._lock:
            first, self._failing = not self._failing, True
            self._closed_again_at = time.monotonic() + self._rest_seconds
            return first

    def note_success(self) -> bool:
        """It has answered. True where it had failed before."""
        with self._lock:
            was_failing, self._failing = self._failing, False
            return was_failing
