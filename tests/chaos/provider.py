"""The provider of the chaos run: it lives outside the ledger and counts what it hears.

It keeps idempotency keys as Stripe does: the first call with a key has an effect, a later one gets the first one's
answer. What it counts is by business key, so that an engine that changes the idempotency key between two attempts
of one job is found out.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Provider:
    """An HTTP server on 127.0.0.1 in threads of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def forget(self, *, seconds: float = 0.0) -> None:
        """Begin to count anew; every call takes ``seconds`` from now on."""
        with self._lock:
            self.seconds = seconds
            self.calls: Counter[str] = Counter()
            self.effects: Counter[str] = Counter()
            self._answers: set[str] = set()

    def charge(self, *, key: str, idempotency_key: str) -> None:
        """One call: counted always, an effect only under a new idempotency key."""
        with self._lock:
            self.calls[key] += 1
            if idempotency_key not in self._answers:
                self._answers.add(idempotency_key)
                self.effects[key] += 1

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers are killed in the middle of calls; that is no news here."""


def _handler_for(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            key = self.rfile.read(length).decode()
            if len(key) < length:
                return  # the caller died before it had said all
            provider.charge(key=key, idempotency_key=self.headers["Idempotency-Key"])
            time.sleep(provider.seconds)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Silent: the lines of the run are what is read."""

    return Handler
