"""Idempotency-Key (resend.com/docs, "Idempotency keys").

The answer to a mail that was taken is kept for 24 hours and given again to the same request; nothing is sent. Another
request with the key is refused, and so is the same one while the first is being worked on. A request that failed leaves
no trace: the key is as new. Those of mails that were taken stand in a file beside the mails, and outlive the process.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sandbox.esp.refusals import Refusal

FORGOTTEN_AFTER = 24 * 3600  # seconds
LONGEST_KEY = 256
MOST_KEYS = 200_000


@dataclass
class _Kept:
    request: str  # its digest
    since: float  # seconds since 1970
    email_id: str = ""  # empty while it is being worked on


class Keys:
    """The keys of one account, and the file that they are kept in, a line each."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        self._file = file
        self._kept = _read(file)
        file.write_text("".join(_line(key, kept) for key, kept in self._kept.items()), encoding="utf-8")

    def forget(self) -> None:
        """No keys, as on the first day."""
        with self._lock:
            self._kept.clear()
            self._file.write_text("", encoding="utf-8")

    def claim(self, key: str, body: bytes) -> str:
        """Make the key ours until ``keep`` or ``release`` (empty), or return the id that it has. Raises Refusal."""
        if not 1 <= len(key) <= LONGEST_KEY:
            raise Refusal(400, "invalid_idempotency_key", "The key must be between 1-256 chars.")
        request, now = hashlib.sha256(body).hexdigest(), time.time()
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
            kept = self._kept.get(key)
            if kept is None:
                return  # forgotten meanwhile
            kept.email_id = email_id
            with self._file.open("a", encoding="utf-8") as file:
                file.write(_line(key, kept))

    def release(self, key: str) -> None:
        """Nothing was sent: the key is as new."""
        with self._lock:
            if key in self._kept and not self._kept[key].email_id:
                del self._kept[key]


def _line(key: str, kept: _Kept) -> str:
    return json.dumps([key, kept.request, kept.since, kept.email_id]) + "\n"


def _read(file: Path) -> dict[str, _Kept]:
    """What an earlier process kept and what is not too old; the last line may be half a one."""
    known: dict[str, _Kept] = {}
    if not file.exists():
        return known
    for line in file.read_text(encoding="utf-8").splitlines()[-MOST_KEYS:]:
        try:
            key, request, since, email_id = json.loads(line)
        except ValueError:
            continue
        if since >= time.time() - FORGOTTEN_AFTER:
            known[key] = _Kept(request, since, email_id)
    return known
