"""A request leaves at its turn at the provider, over a connection that was there before."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import requests

from notifications.channels.on_time import OnTimeAdapter, on_time_session, on_turn
from notifications.limits import shared, take
from tests.processes import wait_for_end


class _Seen(ThreadingHTTPServer):
    """When connections and requests came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections: list[float] = []
        self.requests: list[float] = []

    def process_request(self, *arguments: Any) -> None:
        self.connections.append(time.monotonic())
        super().process_request(*arguments)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Seen

    def do_POST(self) -> None:
        self.server.requests.append(time.monotonic())
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def seen() -> Iterator[_Seen]:
    server = _Seen()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    wait_for_end(thread)
    server.server_close()


@pytest.fixture
def post(seen: _Seen) -> Iterator[Callable[[], None]]:
    with requests.Session() as session:
        session.mount("http://", OnTimeAdapter())
        yield lambda: session.post(f"http://127.0.0.1:{seen.server_port}/", data="x", timeout=10).raise_for_status()


def turn_in(seconds: float) -> take.Turn:
    now = time.monotonic()
    return take.Turn("mail", shared.Place("mail", "a", True, wait=seconds, due=now + seconds), now)


def test_it_waits_for_its_turn_with_its_connection_open(seen: _Seen, post: Callable[[], None]) -> None:
    turn = turn_in(0.3)
    with on_turn(turn):
        post()
    assert turn.place is not None
    assert seen.connections[0] < turn.place.due <= seen.requests[0]


def test_a_turn_is_for_one_request(seen: _Seen, post: Callable[[], None]) -> None:
    with on_turn(turn_in(0.0)):
        post()
    began = time.monotonic()
    turn_in(30.0)
    post()
    assert time.monotonic() - began < 10
    assert len(seen.requests) == 2


def test_the_environment_says_once_by_which_proxy_requests_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("https_proxy", "http://proxy:3128"), ("no_proxy", "127.0.0.1")):
        monkeypatch.setenv(name, value)
        monkeypatch.delenv(name.upper(), raising=False)
    outside = on_time_session(address="https://api.example.org", connections=1)
    monkeypatch.delenv("https_proxy")
    assert outside.merge_environment_settings("https://api.example.org/v1", {}, False, True, None)["proxies"] == {
        "https": "http://proxy:3128",
        "no": "127.0.0.1",
    }
    assert on_time_session(address="http://127.0.0.1:1", connections=1).proxies == {}


def test_a_session_serves_as_many_threads_as_it_keeps_connections(seen: _Seen) -> None:
    session = on_time_session(address=f"http://127.0.0.1:{seen.server_port}", connections=4)
    together = threading.Barrier(4)

    def ask() -> None:
        for _ in range(3):
            together.wait(timeout=10)
            session.post(f"http://127.0.0.1:{seen.server_port}/", data="x", timeout=10).raise_for_status()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        wait_for_end(thread)
    session.close()
    assert len(seen.requests) == 12
    assert len(seen.connections) <= 4
