"""A network asks so many times in a while and no more, with Redis or without; a Redis that is away refuses nobody."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.conf import settings as django_settings
from redis import Redis

from notifications.limits import askers
from notifications.limits.askers import MOST, may_ask
from notifications.limits.circuit import Circuit
from tests.ports import free_ports


@pytest.fixture(autouse=True)
def fresh_circuit_of_askers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process believes of Redis begins anew with each test."""
    monkeypatch.setattr(askers, "circuit", Circuit())


@pytest.fixture
def no_redis_for_askers(settings: Any) -> None:
    """Nobody listens where Redis should be."""
    (port,) = free_ports(1)
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"


def test_a_network_that_asks_too_often_is_refused_and_another_one_is_not() -> None:
    assert all(may_ask(what="tell me", network="203.0.113.7") for _ in range(MOST))
    assert not may_ask(what="tell me", network="203.0.113.7")
    assert may_ask(what="tell me", network="203.0.113.8")
    assert may_ask(what="push", network="203.0.113.7")


def test_the_count_ends_by_itself_and_holds_no_address() -> None:
    assert may_ask(what="tell me", network="203.0.113.7")
    redis = Redis.from_url(django_settings.REDIS_URL, socket_timeout=20)
    (key,) = redis.keys(f"*{askers.LIMIT.namespace}*")
    assert b"203.0.113" not in key
    assert 0 < redis.ttl(key) <= askers.WINDOW_MINUTES * 60


def test_without_redis_a_process_counts_by_itself_and_waits_for_it_once(no_redis_for_askers: None) -> None:
    began = time.monotonic()
    assert all(may_ask(what="tell me", network="203.0.113.7") for _ in range(MOST))
    assert not may_ask(what="tell me", network="203.0.113.7")
    assert time.monotonic() - began < 5
    assert not askers.circuit.is_closed()
