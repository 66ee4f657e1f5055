"""A stand-in for Sentry: it takes the SDK's envelopes and keeps the events and check-ins in them."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import brotli
import pytest
import sentry_sdk

from config.sentry import start_reporting

UNPACK: dict[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}


@dataclass
class ReportSink:
    """The events and check-ins that have arrived."""

    port: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    check_ins: list[dict[str, Any]] = field(default_factory=list)

    @property
    def dsn(self) -> str:
        return f"http://key@127.0.0.1:{self.port}/1"

    def take(self, envelope: bytes) -> None:
        """Keep the events of one envelope: lines of JSON, each item behind a header that may give its length."""
        _, _, rest = envelope.partition(b"\n")
        while rest.strip():
            header, _, rest = rest.partition(b"\n")
            item = json.loads(header)
            length = item.get("length", len(rest.partition(b"\n")[0]))
            kept = {"event": self.events, "check_in": self.check_ins}.get(item["type"])
            if kept is not None:
                kept.append(json.loads(rest[:length]))
            rest = rest[length + 1 :]

    def titles(self) -> list[str]:
        """What staff would read first of each event: the exception's class, or the message."""
        return sorted(title(event) for event in self.events)


def title(event: dict[str, Any]) -> str:
    if "exception" in event:
        return str(event["exception"]["values"][-1]["type"])
    return str(event.get("message") or event["logentry"]["message"])


@pytest.fixture
def report_sink() -> Iterator[ReportSink]:
    sink = ReportSink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sink.take(UNPACK[self.headers.get("Content-Encoding", "")](body))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sink.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield sink
    server.shutdown()
    server.server_close()


@pytest.fixture
def reports(report_sink: ReportSink) -> Iterator[ReportSink]:
    """Sentry as production starts it, in this process; without what it would fasten to Django and Celery for good."""
    start_reporting(report_sink.dsn, auto_enabling_integrations=False)
    yield report_sink
    sentry_sdk.get_client().close(timeout=2)
    sentry_sdk.get_global_scope().set_client(None)


def all_sent(sink: ReportSink) -> ReportSink:
    """The sink, when this process has nothing left to send."""
    sentry_sdk.flush(timeout=10)
    return sink
