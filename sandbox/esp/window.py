"""The rate limit: a sliding window of one second in real time."""

from __future__ import annotations

import threading
import time
from collections import deque

WINDOW = 1.0  # seconds


class Window:
    """Lets at most ``most`` requests pass within any second."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passed: deque[float] = deque()

    def wait(self, *, most: int) -> float:
        """0 when one more request may pass now, and is counted; otherwise the seconds until it might."""
        with self._lock:
            now = time.monotonic()
            while self._passed and self._passed[0] <= now - WINDOW:
                self._passed.popleft()
            if len(self._passed) < most:
                self._passed.append(now)
                return 0.0
            return self._passed[len(self._passed) - most] + WINDOW - now
