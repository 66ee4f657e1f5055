"""The bell that wakes the relay after a commit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from jobs import wakeup
from jobs.enqueue import enqueue
from tests.ledger import real_commits
from tests.processes import status_of_child, wait_for

pytestmark = real_commits


@pytest.fixture
def listener(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """A session that hears the bell, as the relay's does."""
    wakeup.close()
    with wakeup.plain_connection("default") as session:
        session.execute(f"LISTEN {wakeup.CHANNEL}")
        yield session
    wakeup.close()


def heard(listener: psycopg.Connection[Any], *, seconds: float = 5) -> list[int]:
    """The ids of the sessions that rang: waits for the first, then for as long as they go on."""
    first = [ring.pid for ring in listener.notifies(timeout=seconds, stop_after=1)]
    return first + [ring.pid for ring in listener.notifies(timeout=0.1)]


def test_a_commit_rings_and_a_rollback_does_not(listener: psycopg.Connection[Any]) -> None:
    with transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
        transaction.set_rollback(True)
    assert heard(listener, seconds=0.1) == []
    with transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
    assert len(heard(listener)) == 1


def test_the_commit_itself_sends_no_notify(listener: psycopg.Connection[Any]) -> None:
    """It would take PostgreSQL's one lock for all commits."""
    with transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (own_pid,) = cursor.fetchone()
    assert own_pid not in heard(listener)


def test_many_commits_ring_a_few_times(listener: psycopg.Connection[Any]) -> None:
    wakeup.ring()
    heard(listener)
    began = time.monotonic()
    for _ in range(1000):
        wakeup.ring()
    took = time.monotonic() - began
    assert 1 <= len(heard(listener)) <= took / wakeup.COALESCE_SECONDS + 2


def test_a_process_that_ends_at_once_has_rung_before(listener: psycopg.Connection[Any]) -> None:
    wakeup.ring()
    wakeup.close()
    assert len(heard(listener, seconds=0.1)) == 1


def test_a_forked_child_has_a_bell_of_its_own(listener: psycopg.Connection[Any]) -> None:
    wakeup.ring()
    (parent,) = heard(listener)
    child = os.fork()
    if child == 0:
        try:
            wakeup.ring()
            wakeup.close()
        finally:
            os._exit(0)
    status_of_child(child)
    (ringer,) = heard(listener)
    assert ringer != parent
    wakeup.ring()
    assert heard(listener) == [parent]


def test_a_bell_whose_session_was_lost_rings_again(listener: psycopg.Connection[Any]) -> None:
    wakeup.ring()
    (ringer,) = heard(listener)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [ringer])

    def rings() -> bool:
        wakeup.ring()
        return bool(heard(listener, seconds=0.2))

    wait_for(rings, what="the bell is heard again")
