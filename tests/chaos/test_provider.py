"""The provider of the chaos run counts by business key, and finds out an engine that changes idempotency keys."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest

from tests.chaos.provider import Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


def test_a_repeated_call_has_one_effect_and_one_under_another_idempotency_key_has_two(provider: Provider) -> None:
    for key, idempotency_key in (("a", "1"), ("a", "1"), ("b", "2"), ("b", "3")):
        charge(provider, key=key, idempotency_key=idempotency_key)
    assert provider.calls == {"a": 2, "b": 2}
    assert provider.effects == {"a": 1, "b": 2}


def test_a_caller_who_dies_in_the_middle_of_his_request_was_not_heard(provider: Provider) -> None:
    with socket.create_connection(("127.0.0.1", int(provider.url.rpartition(":")[2])), timeout=10) as caller:
        caller.sendall(b"POST /charges HTTP/1.1\r\nIdempotency-Key: 1\r\nContent-Length: 4\r\n\r\n")
        caller.shutdown(socket.SHUT_WR)
        assert caller.recv(1) == b""
    charge(provider, key="a", idempotency_key="1")
    assert provider.effects == {"a": 1}


def charge(provider: Provider, *, key: str, idempotency_key: str) -> None:
    connection = http.client.HTTPConnection(provider.url.removeprefix("http://"), timeout=5)
    connection.request("POST", "/charges", body=key, headers={"Idempotency-Key": idempotency_key})
    assert connection.getresponse().status == 200
    connection.close()
