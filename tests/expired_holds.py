"""What the tests of lapsed holds count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.db import connection
from prometheus_client import Counter

from inventory.metrics import HOLDS_EXPIRED, SWEEPS
from inventory.models import Hold, Seat

real_commits = pytest.mark.django_db(transaction=True)
"""Tests of several sessions."""

WAYS = ("lazily", "job", "sweeper")
OUTCOMES = ("done", "cut short", "another at it")


@dataclass
class Counted:
    """What was counted since the block began; only what is not 0. Complete when the block has ended."""

    expired: dict[str, int] = field(default_factory=dict)
    sweeps: dict[str, int] = field(default_factory=dict)


@contextmanager
def counting() -> Iterator[Counted]:
    """Count what this process counts in the block."""
    counted = Counted()
    before = _values(HOLDS_EXPIRED, "way", WAYS), _values(SWEEPS, "outcome", OUTCOMES)
    yield counted
    counted.expired = _grown(_values(HOLDS_EXPIRED, "way", WAYS), before[0])
    counted.sweeps = _grown(_values(SWEEPS, "outcome", OUTCOMES), before[1])


def _values(counter: Counter, label: str, values: tuple[str, ...]) -> dict[str, int]:
    return {value: int(counter.labels(**{label: value})._value.get()) for value in values}


def _grown(now: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {label: value - before[label] for label, value in now.items() if value != before[label]}


def assert_whole(hold: Hold) -> None:
    """The hold is active with all of its seats, or has ended and has none."""
    hold.refresh_from_db()
    seats = set(Seat.objects.filter(hold=hold).values_list("pk", "status"))
    assert seats == ({(seat, "held") for seat in hold.seat_ids} if hold.status == "active" else set()), hold


def somebody_waits_for_a_lock() -> bool:
    """Whether a session on this database waits for another one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction otherwise sees the first answer again
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])
