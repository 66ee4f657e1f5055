"""The rate limit: a token bucket in real time (docs.stripe.com, "Rate limits")."""

from __future__ import annotations

import threading
import time


class Limiter:
    """Lets ``per_second`` requests pass on average, and ``burst`` at once after a pause."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens = 0.0
        self._seen_at = 0.0

    def passes(self, *, per_second: float, burst: int) -> bool:
        """Whether one more request may pass now."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(float(burst), self._tokens + (now - self._seen_at) * per_second)
            self._seen_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True
