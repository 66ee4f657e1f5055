"""Who is alive, and who only was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from jobs.flow.heartbeats import KEPT_SECONDS, Sign, beat, forget_the_gone, heartbeats, is_alive, leave, pool_of
from jobs.flow.limits import ALIVE_SECONDS, read_limits
from jobs.models import Heartbeat
from jobs.worker import heartbeat
from jobs.worker.heartbeat import Pulse
from tests.fixtures_clock import Clock
from tests.ledger import real_commits
from tests.processes import status_of_child, wait_for

pytestmark = pytest.mark.django_db

WORKER = Sign(
    name="probe@here",
    kind=Heartbeat.Kind.WORKER,
    queues=["probe"],
    pool="default",
    concurrency=2,
    prefetch=8,
    running=1,
)


def test_a_worker_counts_for_fifteen_seconds_after_its_last_beat(clock: Clock) -> None:
    beat(WORKER, using="default", started_at=None)
    assert read_limits(using="default").prefetch == {"probe": 8}
    assert [is_alive(row) for row in heartbeats()] == [True]
    clock.advance(timedelta(seconds=ALIVE_SECONDS + 1))
    assert read_limits(using="default").prefetch == {}
    assert [is_alive(row) for row in heartbeats()] == [False]


def test_a_beat_tells_what_is_now_and_keeps_when_the_process_started(clock: Clock) -> None:
    started_at = beat(WORKER, using="default", started_at=None)
    clock.advance(timedelta(seconds=5))
    assert beat(replace(WORKER, running=0), using="default", started_at=started_at) == started_at
    row = Heartbeat.objects.get()
    assert (row.running, row.started_at) == (0, started_at)
    assert row.seen_at - row.started_at >= timedelta(seconds=5)


def test_a_worker_that_starts_anew_under_its_name_takes_its_row_over(clock: Clock) -> None:
    beat(WORKER, using="default", started_at=None)
    clock.advance(timedelta(seconds=60))
    started_again = beat(WORKER, using="default", started_at=None)
    assert Heartbeat.objects.get().started_at == started_again


def test_who_leaves_is_gone_at_once_and_who_died_after_a_while(clock: Clock) -> None:
    beat(WORKER, using="default", started_at=None)
    beat(replace(WORKER, name="other@here"), using="default", started_at=None)
    leave(name="other@here", using="default")
    assert [row.name for row in heartbeats()] == ["probe@here"]
    clock.advance(timedelta(seconds=KEPT_SECONDS - 1))
    assert forget_the_gone(using="default") == 0
    clock.advance(timedelta(seconds=2))
    assert forget_the_gone(using="default") == 1


def test_the_pool_of_a_worker_is_that_of_its_queues() -> None:
    assert pool_of(["tickets"]) == "tickets"
    assert pool_of(["tickets", "messages"]) == "messages,tickets"
    assert pool_of(["unheard of"]) == ""


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A worker's pulse, a quick one."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)
    pulse = Pulse("default", lambda: WORKER)
    yield pulse
    pulse.stop()
    pulse.join()


def beats_again() -> None:
    seen = Heartbeat.objects.get().seen_at
    wait_for(lambda: Heartbeat.objects.filter(seen_at__gt=seen).exists(), what="another beat")


@real_commits
def test_a_worker_has_beaten_before_it_goes_on_and_takes_its_row_away_at_its_end(pulse: Pulse) -> None:
    pulse.start()
    pulse.wait_for_first()
    beats_again()
    pulse.stop()
    pulse.join()
    assert not Heartbeat.objects.exists()


@real_commits
def test_a_lost_database_session_ends_no_pulse(pulse: Pulse) -> None:
    pulse.start()
    pulse.wait_for_first()
    lost = pulse._connection
    assert lost is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [lost.info.backend_pid])
    wait_for(lambda: pulse._connection not in (lost, None), what="a new connection")
    beats_again()


@real_commits
def test_a_database_that_is_away_keeps_no_worker_from_starting_or_ending(
    pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pulse._parameters, "port", 1)
    pulse.start()
    pulse.wait_for_first()
    assert pulse._beaten.is_set()
    pulse.stop()
    pulse.join()
    assert not pulse._thread.is_alive()


def held_here() -> list[str]:
    """What the files of this process are."""
    held = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            held.append(os.readlink(f"/proc/self/fd/{number}"))
    return held


@real_commits
def test_a_forked_child_has_no_part_in_the_connection(pulse: Pulse) -> None:
    pulse.start()
    pulse.wait_for_first()
    wait_for(lambda: pulse._connection is not None, what="it is connected")
    session = pulse._connection
    assert session is not None
    socket = os.readlink(f"/proc/self/fd/{session.fileno()}")
    child = os.fork()
    if child == 0:
        os._exit(int(socket in held_here()))
    status = status_of_child(child)
    assert os.waitstatus_to_exitcode(status) == 0
    beats_again()
