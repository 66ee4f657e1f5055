"""Idempotency-Key (resend.com/docs, "Idempotency keys").

The answer to a mail that was taken is kept for 24 hours and given again to the same request; nothing is sent. Another
request with the key is refused, and so is the same one while the first is being worked on. A request that failed leaves
no trace: the key is as new. Kept in memory, for as long as this process runs.
"""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass

from sandbox.esp.refusals import Refusal

FORGOTTEN_AFTER = 24 * 3600  # seconds
LONGEST_KEY = 256
MOST_KEYS = 200_000


@dataclass
class _Kept:
    request: bytes
    since: float
    email_id: str = ""  # empty while it is being worked on


class Keys:
    """The keys of one account."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}

    def claim(self, key: str, body: bytes) -> str:
        """Make the key ours until ``keep`` or ``release`` (empty), or return the id that it has. Raises Refusal."""
        if not 1 <= len(key) <= LONGEST_KEY:
            raise Refusal(400, "invalid_idempotency_key", "The key must be between 1-256 chars.")
        request, now = hashlib.sha256(body).digest(), time.monotonic()
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.since < now - FORGOTTEN_AFTER:
                self._kept[key] = _Kept(request, now)
                if len(self._kept) > MOST_KEYS:
                    del self._kept[next(iter(self._kept))]
                return ""
        if kept.request != request:
            raise Refusal(
                409, "invalid_idempotent_request", "Same idempotency key used with a different request payload."
            )
        if not kept.email_id:
            raise Refusal(
                409,
                "concurrent_idempotent_requests",
                "Same idempotency key used while original request is still in progress.",
            )
        return kept.email_id

    def keep(self, key: str, email_id: str) -> None:
        """The mail that this key stands for from now on."""
        with self._lock:
            self._kept[key].email_id = email_id

    def release(self, key: str) -> None:
        """Nothing was sent: the key is as new."""
        with self._lock:
            if key in self._kept and not self._kept[key].email_id:
                del self._kept[key]
