"""``/metrics`` of a relay, a worker or a beat, which have no web server: on METRICS_PORT, if that is set."""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import structlog
from django.conf import settings
from django.db import connections

from jobs.scrape.access import bears_the_token
from jobs.scrape.processes import AnotherScrape
from jobs.scrape.render import CONTENT_TYPE, render

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS = 5.0
"""How long a client may take to say what it wants."""


def serve_metrics(*, with_ledger: bool) -> ThreadingHTTPServer | None:
    """Answer in threads of this process; return the server, None where no port is set or the port is taken.

    With METRICS_TOKEN set, only to whoever bears it. with_ledger: whether queues and workers are told as well.
    """
    if not settings.LEDGER_METRICS_PORT:
        return None
    address = (settings.LEDGER_METRICS_HOST, settings.LEDGER_METRICS_PORT)
    try:
        server = Server(address, partial(Handler, with_ledger=with_ledger))
    except OSError as error:
        log.error("metrics_not_served", address=address, error=str(error))  # jobs matter more
        return None
    os.register_at_fork(after_in_child=server.socket.close)  # a child that outlives us must not hold the port
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server


class Server(ThreadingHTTPServer):
    """A thread for each request; none of them keeps the process, or fills its log."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A scraper that left before the answer, mostly."""
        log.warning("scrape_not_answered", error=repr(sys.exc_info()[1])[:200])


class Handler(BaseHTTPRequestHandler):
    """One request."""

    timeout = TIMEOUT_SECONDS
    server_version = "BoxOffice"
    sys_version = ""

    def __init__(self, *args: Any, with_ledger: bool) -> None:
        self._with_ledger = with_ledger
        super().__init__(*args)

    def do_GET(self) -> None:
        """Answer."""
        if self.path.partition("?")[0] != "/metrics":
            self._answer(404, b"The metrics are at /metrics.\n")
        elif settings.LEDGER_METRICS_TOKEN and not bears_the_token(self.headers.get("Authorization", "")):
            self._answer(401, b"Send the token of METRICS_TOKEN as a bearer.\n", ("WWW-Authenticate", "Bearer"))
        else:
            try:
                self._answer(200, render(with_ledger=self._with_ledger), content_type=CONTENT_TYPE)
            except AnotherScrape as error:
                self._answer(503, f"{error}\n".encode())
            finally:
                connections.close_all()  # those of this thread

    do_HEAD = do_GET  # noqa: N815

    def _answer(
        self, status: int, body: bytes, *headers: tuple[str, str], content_type: str = "text/plain; charset=utf-8"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a scrape every few seconds is no news."""
