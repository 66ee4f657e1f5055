"""Fixtures of the link scanner's tests: a real web server of this machine, and names that lead to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest

from snip.scan.follow import Scanner
from snip.scan.policy import Policy
from snip.scan.resolve import NameUnknown
from tests.processes import wait_for_end

Play = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Names:
    """A resolver with the answers of the test; the last answer of a name stays. ``asked`` keeps every question."""

    answers: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, seconds: float) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise NameUnknown(host)
        said = self.answers[host]
        return said.pop(0) if len(said) > 1 else said[0]


class HostileWeb:
    """A web server on 127.0.0.1 whose pages are what the test says, and all requests that it has seen."""

    def __init__(self) -> None:
        self.pages: dict[str, Play] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                web.pages.get(self.path, answering(404))(self)

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        wait_for_end(self._thread)


def answering(status: int, body: bytes = b"", **headers: str) -> Play:
    """A page with this status, these headers (``content_type`` for Content-Type) and this body."""

    def play(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return play


@pytest.fixture
def hostile_web() -> Iterator[HostileWeb]:
    """A server on this machine, that is, inside of the network that nobody may reach by a link."""
    web = HostileWeb()
    yield web
    web.close()


@pytest.fixture
def scanned_names() -> Names:
    """``site.example.com`` leads to this machine; no other name is known."""
    return Names({"site.example.com": [["127.0.0.1"]]})


@pytest.fixture
def allowed_scanner(hostile_web: HostileWeb, scanned_names: Names) -> Scanner:
    """A scanner whose policy allows 127.0.0.1, and nothing else that is not public, on the server's port."""
    policy = Policy(
        own_site="https://tickets.example.org",
        short_site="https://go.example.org",
        ports=frozenset({hostile_web.port}),
        networks=(ip_network("127.0.0.1/32"),),
        seconds=5,
    )
    return Scanner(policy=policy, is_blocked=lambda host: host.endswith("blocked.example.com"), resolver=scanned_names)
