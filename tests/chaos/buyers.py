"""Fans in threads, each of whom buys again and again; what they were told is what must be true afterwards."""

from __future__ import annotations

import http.client
import threading
import time
from itertools import count

PAUSE_SECONDS = 0.05
"""A fan whose request was refused does not press again at once."""


class Buyers:
    """POSTs with keys of their own until enough were answered. No key is ever sent twice."""

    def __init__(self, *, port: int, wanted: int, prefix: str, threads: int = 6) -> None:
        self._port = port
        self._wanted = wanted
        self._prefix = prefix
        self._keys = count()
        self._lock = threading.Lock()
        self._stopping = False
        self.answered: set[str] = set()
        self.unanswered = 0
        self._threads = [threading.Thread(target=self._buy, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def finished(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Let nobody buy any more; returns when the last request has ended."""
        self._stopping = True
        for thread in self._threads:
            thread.join(timeout=30)

    def _buy(self) -> None:
        while not self._stopping and len(self.answered) < self._wanted:
            with self._lock:
                key = f"{self._prefix}{next(self._keys)}"
            if self._is_answered(key):
                with self._lock:
                    self.answered.add(key)
            else:
                with self._lock:
                    self.unanswered += 1
                time.sleep(PAUSE_SECONDS)

    def _is_answered(self, key: str) -> bool:
        web = http.client.HTTPConnection("127.0.0.1", self._port, timeout=15)
        try:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            web.request("POST", "/probe/purchases", body=f"key={key}", headers=headers)
            return web.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            web.close()
