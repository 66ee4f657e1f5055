"""The line that tests cut and freeze: it ends nobody's wait later than it says, and outlives what it leads to."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.network import Line
from tests.ports import free_ports

SECONDS = 10


@pytest.fixture
def far_end() -> Iterator[socket.socket]:
    """A server that takes connections."""
    with socket.create_server(("127.0.0.1", free_ports(1)[0])) as listener:
        listener.settimeout(SECONDS)
        yield listener


@pytest.fixture
def line(far_end: socket.socket) -> Iterator[Line]:
    line = Line(f"tcp://127.0.0.1:{far_end.getsockname()[1]}")
    yield line
    line.cut()


def visit(line: Line) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(line.url).port or 0), timeout=SECONDS)


def hears_the_end(end: socket.socket) -> bool:
    """Whether nothing more comes. What the line had not read yet makes it a reset."""
    try:
        return end.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_line_whose_server_was_away_carries_again_when_it_is_back(line: Line, far_end: socket.socket) -> None:
    address = far_end.getsockname()
    far_end.close()
    with visit(line) as caller:
        assert caller.recv(1) == b""
    with socket.create_server(address) as back, visit(line) as caller:
        back.settimeout(SECONDS)
        caller.sendall(b"x")
        with back.accept()[0] as other:
            other.settimeout(SECONDS)
            assert other.recv(1) == b"x"


def test_a_frozen_line_that_is_cut_ends_what_it_had_in_hand(line: Line, far_end: socket.socket) -> None:
    with visit(line) as caller, far_end.accept()[0] as other:
        other.settimeout(SECONDS)
        line.freeze()
        caller.sendall(b"x")
        line.cut()
        assert hears_the_end(caller)
        assert hears_the_end(other)


def test_nobody_is_at_the_address_of_a_line_that_is_cut(line: Line) -> None:
    line.cut()
    with pytest.raises(ConnectionRefusedError):
        visit(line)
    line.restore()
    visit(line).close()


def test_no_port_is_told_twice() -> None:
    ports = [port for _ in range(20) for port in free_ports(2)]
    assert len(set(ports)) == len(ports)
