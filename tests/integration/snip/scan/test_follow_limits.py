"""A scan of answers without an end: given up in time, and of a bounded size."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest

from snip.scan.ask import Unreachable
from snip.scan.follow import Found, Scanner
from tests.fixtures_link_scanner import HostileWeb, Play, answering
from tests.scanned_targets import HTML, at


def dripping(request: BaseHTTPRequestHandler) -> None:
    """One byte now and then, so that no single read ever waits long."""
    ended = time.monotonic() + 5
    try:
        while time.monotonic() < ended:
            request.wfile.write(b"H")
            time.sleep(0.02)
    except OSError:
        pass


def endless_head(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\n")
    pour(request, b"X-More: " + b"x" * 1000 + b"\r\n")


def endless_continue(request: BaseHTTPRequestHandler) -> None:
    pour(request, b"HTTP/1.1 100 Continue\r\n\r\n")


def pour(request: BaseHTTPRequestHandler, piece: bytes) -> None:
    try:
        for _ in range(100_000):
            request.wfile.write(piece)
    except OSError:
        pass


@pytest.mark.parametrize("play", [dripping, endless_head, endless_continue, lambda request: request.wfile.write(b"?")])
def test_an_answer_without_an_end_is_given_up_in_time(
    hostile_web: HostileWeb, allowed_scanner: Scanner, play: Play
) -> None:
    hostile_web.pages["/"] = play
    hasty = replace(allowed_scanner, policy=replace(allowed_scanner.policy, seconds=0.5))
    began = time.monotonic()
    with pytest.raises(Unreachable):
        hasty.follow(at(hostile_web))
    assert time.monotonic() - began < 4


def test_of_an_endless_page_the_beginning_is_read(hostile_web: HostileWeb, allowed_scanner: Scanner) -> None:
    def play(request: BaseHTTPRequestHandler) -> None:
        answering(200, b"<meta http-equiv=refresh content='0;url=/next'>", content_type=HTML)(request)
        pour(request, b"x" * 1000)

    hostile_web.pages |= {"/": play, "/next": answering(200)}
    assert allowed_scanner.follow(at(hostile_web)) == Found(at(hostile_web, "/next"), 1)


def test_a_bomb_is_not_unpacked_and_of_an_answer_a_share_is_read(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    bomb = gzip.compress(b"x" * 50_000_000, 1)
    hostile_web.pages["/"] = answering(200, bomb, content_type=HTML, content_encoding="gzip")
    began = time.process_time()
    tracemalloc.start()
    try:
        allowed_scanner.follow(at(hostile_web))
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < 2
