"""How many beats are there, for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection

from jobs.flow.heartbeats import heartbeats, is_alive
from jobs.flow.limits import ALIVE_SECONDS
from jobs.models import Heartbeat
from jobs.schedules import heartbeat
from jobs.schedules.heartbeat import BeatSign
from tests.fixtures_clock import Clock
from tests.ledger import real_commits


def living() -> list[str]:
    return [row.kind for row in heartbeats() if is_alive(row)]


@pytest.mark.django_db
def test_a_beat_shows_while_it_lives_and_not_once_it_left_in_good_order() -> None:
    sign = BeatSign()
    sign.beat()
    assert living() == [Heartbeat.Kind.BEAT]
    sign.leave()
    assert not Heartbeat.objects.exists()


@pytest.mark.django_db
def test_a_beat_that_was_killed_counts_for_fifteen_seconds(clock: Clock) -> None:
    BeatSign().beat()
    clock.advance(timedelta(seconds=ALIVE_SECONDS + 1))
    assert living() == []


@pytest.mark.django_db
def test_a_tick_costs_a_query_only_when_it_is_time_to_beat(clock: Clock) -> None:
    sign = BeatSign()
    sign.beat()
    first = Heartbeat.objects.get().seen_at
    clock.advance(timedelta(seconds=1))
    sign.beat()
    assert Heartbeat.objects.get().seen_at == first


@contextmanager
def nobody_can_write_heartbeats() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_heartbeat RENAME TO gone")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE gone RENAME TO jobs_heartbeat")


@real_commits
def test_a_beat_that_cannot_say_that_it_lives_ticks_all_the_same_and_says_so_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.0)
    sign = BeatSign()
    with nobody_can_write_heartbeats():
        sign.beat()
        sign.leave()
    sign.beat()
    assert living() == [Heartbeat.Kind.BEAT]
