"""A provider over HTTP that answers, fails or does not answer, as a test wants it, and notes who asks and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """One call: when, how many were under way with it, and whether it got a good answer."""

    key: str
    at: float
    at_once: int
    well: bool


@dataclass
class MoodyProvider:
    """An HTTP server on 127.0.0.1 in threads of this process.

    away: every call fails at once. seconds: how long an answer takes, the failing ones too.
    """

    away: bool = False
    seconds: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    under_way: int = 0
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, key: str) -> bool:
        with self._lock:
            self.under_way += 1
            well = not self.away
            self.asked.append(Asked(key, time.monotonic(), self.under_way, well))
        time.sleep(self.seconds)
        with self._lock:
            self.under_way -= 1
        return well

    def keys(self) -> list[str]:
        """Who got a good answer, in the order of asking."""
        with self._lock:
            return [asked.key for asked in self.asked if asked.well]


@contextmanager
def moody_provider() -> Iterator[MoodyProvider]:
    """One that runs while the block does."""
    provider = MoodyProvider()
    server = _Server(("127.0.0.1", 0), _handler_for(provider))
    provider.url = f"127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers lose patience, or are killed; that is no news here."""


def _handler_for(provider: MoodyProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            well = provider.ask(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200 if well else 503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    return Handler
