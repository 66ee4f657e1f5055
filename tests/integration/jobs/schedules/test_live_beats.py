"""Beats as they run: killed, paused, told to stop and cut off, with others that take over. Each due time once (I9).

None of them needs a broker, so there is none but in the test that says so.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import psutil
import pytest
from django.db import connection, transaction

from jobs.clock import DatabaseNow, database_now
from jobs.models import Lease
from tests.failpoints import Failpoints
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import broker_url, empty, environment
from tests.ledger import assert_marked_once, wait_until_done
from tests.live_beats import Beats, end_lease
from tests.network import Line
from tests.probe_schedules import SECOND, ProbeSchedule, add_schedule
from tests.processes import Process, System, wait_for

# The beats outlive a test and keep their lease, so that the ledger is emptied only when they are gone.
pytestmark = pytest.mark.django_db(transaction=True, available_apps=["tests.probe"])

TAKEN_OVER_SECONDS = 10.0
AT_ONCE_SECONDS = 5.0
"""``STANDBY_SECONDS``, and what a machine that has much to do may add. The lease was given up, not waited for."""
BLOCKS = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid)))"
QUIET = """
    SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                       AND state_change > clock_timestamp() - interval '0.2 seconds')
"""
AN_HOUR = timedelta(hours=1)
LOCK = "SELECT pg_backend_pid() FROM jobs_schedule WHERE periodic_task_id = %s FOR UPDATE"


def test_a_beat_that_is_killed_is_replaced_within_ten_seconds(beats: Beats, schedule: ProbeSchedule) -> None:
    wait_for_runs(schedule, more=1)
    first, second = beats.pair()
    first.kill()
    beats.wait_until_ticks(second, seconds=TAKEN_OVER_SECONDS)
    wait_for_runs(schedule, more=1)
    assert_each_once(schedule)


def test_a_beat_that_was_paused_past_its_lease_wakes_up_to_stand_by_and_may_tick_again(
    beats: Beats, schedule: ProbeSchedule
) -> None:
    first, second = beats.pair()
    for paused, other in ((first, second), (second, first)):
        said = len(paused.output)
        paused.pause()
        end_lease()
        beats.wait_until_ticks(other, seconds=AT_ONCE_SECONDS)
        wait_for_runs(schedule, more=2)
        paused.resume()
        wait_for(lambda: any("beat_stands_by" in line for line in paused.output[said:]), what="it stands by")  # noqa: B023
        assert beats.ticking() is other
    assert_each_once(schedule)


def test_a_beat_that_is_paused_in_the_middle_of_a_run_holds_up_the_others_for_no_longer_than_its_lease(
    beats: Beats, schedule: ProbeSchedule, beat_failpoints: Failpoints
) -> None:
    """PostgreSQL ends its open transaction. Nobody is told of a fault, and the schedule does not rest."""
    first, second = beats.pair()
    said = len(first.output)
    beat_failpoints.arm("after a run is enqueued, before its commit", "pause all")
    wait_for(lambda: beat_failpoints.fired("after a run is enqueued, before its commit"), what="it is paused")
    beats.wait_until_ticks(second, seconds=TAKEN_OVER_SECONDS)
    first.resume()
    wait_for(lambda: any("beat_stands_by" in line for line in first.output[said:]), what="it stands by")
    assert not any("schedule_not_enqueued" in line for line in first.output[said:])
    wait_for_runs(schedule, more=1)
    assert_each_once(schedule)


def test_beats_whose_sessions_are_ended_go_on(beats: Beats, schedule: ProbeSchedule) -> None:
    for _ in range(3):
        for beat in beats.processes:
            wait_for(lambda beat=beat: ended_sessions(beat), what="a session of each is ended")  # type: ignore[misc]
        wait_for_runs(schedule, more=1)
    assert_each_once(schedule)
    assert all(beat.alive for beat in beats.processes)


def test_a_row_that_somebody_holds_delays_its_own_schedule_for_seconds_and_no_other(
    beats: Beats, schedule: ProbeSchedule
) -> None:
    held = add_schedule(seconds=600)
    wait_for_runs(held, more=1)
    with locked(held) as editor:
        wait_for(lambda: waits_for(editor), what="a run waits")
        wait_for_runs(schedule, more=3)
    wait_for_runs(held, more=4)
    held.disable()
    assert_each_once(held)
    assert_each_once(schedule)


def test_however_often_a_beat_is_told_to_stop_it_breaks_off_its_run_and_ends_in_good_order(
    beats: Beats, schedule: ProbeSchedule
) -> None:
    first, second = beats.pair()
    with locked(schedule) as editor:
        wait_for(lambda: waits_for(editor), what="a run waits")
        given, before = lease(), schedule.due_times()
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            os.kill(first.pid, number)
        assert first.wait() == 0
        beats.wait_until_ticks(second, seconds=AT_ONCE_SECONDS)
        assert lease().taken_at < given.until
        assert schedule.due_times() == before
    wait_for_runs(schedule, more=2)
    assert_each_once(schedule)


def test_a_clock_that_is_set_forth_and_back_neither_repeats_nor_skips(
    beats: Beats, schedule: ProbeSchedule, clock: Clock
) -> None:
    """An hour that was jumped over is one run by the first one's rule. The second one is new in that other hour."""
    schedule.disable()
    beats.schedule = None
    old = add_schedule(seconds=7200, catch_up="once")
    wait_for_runs(old, more=1)
    clock.advance(AN_HOUR)
    new = add_schedule(seconds=14400, after=-2 * AN_HOUR)
    wait_for_runs(new, more=2)
    clock.advance(-AN_HOUR)
    back = database_now()
    for watched in (old, new):
        wait_for(lambda watched=watched: until(watched, back + AN_HOUR / 2)[-1] > back + 2 * SECOND, what="it goes on")  # type: ignore[misc]
        watched.disable()
        assert watched.enqueued() == [due.isoformat() for due in watched.due_times()]
    assert len([due for due in old.due_times() if due > back + AN_HOUR / 2]) < 60
    due_times = until(new, back + AN_HOUR / 2)
    assert due_times[0] < back
    assert due_times == [due_times[0] + SECOND * number for number in range(len(due_times))]


def until(schedule: ProbeSchedule, instant: datetime) -> list[datetime]:
    return [due for due in schedule.due_times() if due < instant] or [schedule.start]


def test_without_a_broker_beats_tick_hand_over_and_stop_and_their_jobs_run_when_there_is_one(
    beats: Beats, schedule: ProbeSchedule
) -> None:
    wait_for_runs(schedule, more=1)
    first, second = beats.pair()
    given = lease()
    os.kill(first.pid, signal.SIGTERM)
    beats.wait_until_ticks(second, seconds=AT_ONCE_SECONDS)
    assert lease().taken_at < given.until
    os.kill(second.pid, signal.SIGINT)
    assert (first.wait(), second.wait()) == (0, 0)
    assert not Lease.objects.filter(until__gt=DatabaseNow()).exists()
    url = broker_url("redis")
    empty(url)
    system = System(environment(url))
    try:
        system.start_relay(wait=False)
        system.start_worker(wait=False)
        wait_until_done(schedule.jobs())
        assert_marked_once(schedule.enqueued())
    finally:
        system.stop()


def test_a_beat_whose_database_does_not_answer_ends_all_the_same(all_beats: Beats, transactional_db: None) -> None:
    """It asks in vain that its lease be given up, and waits no longer than a few seconds."""
    line = Line(all_beats.environment["DATABASE_URL"])
    far = System({**all_beats.environment, "DATABASE_URL": line.url})
    try:
        beat = far.start_beat()
        wait_for(lambda: answered(QUIET), what="nobody asks anything just now")
        line.freeze()
        assert beat.terminate() == 0
        assert any("beat_lease_left_behind" in text for text in beat.output)
    finally:
        far.stop()
        line.cut()


def wait_for_runs(schedule: ProbeSchedule, *, more: int, seconds: float = 15) -> None:
    """Wait until so many more due times have their runs."""
    wanted = len(schedule.due_times()) + more
    wait_for(lambda: len(schedule.due_times()) >= wanted, seconds=seconds, what=f"{more} more runs")


def assert_each_once(schedule: ProbeSchedule) -> None:
    """From the first due time to the last of those that were run each has one run and one job."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        due_times, keys = schedule.due_times(), schedule.enqueued()
    assert keys == [due.isoformat() for due in due_times]
    assert keys == schedule.keys[: len(keys)]


def lease() -> Lease:
    return Lease.objects.get(name="beat")


@contextmanager
def locked(schedule: ProbeSchedule) -> Iterator[int]:
    """Hold the schedule's row, as somebody does who edits it; gives the number of the session."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(LOCK, [schedule.pk])
            (backend,) = cursor.fetchone()
        yield backend
    finally:
        other.close()


def waits_for(backend: int) -> bool:
    """Whether anybody waits for a lock of that session."""
    return answered(BLOCKS, backend)


def answered(question: str, *values: object) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(question, values)
        return bool(cursor.fetchone()[0])


def ended_sessions(beat: Process) -> int:
    """End the beat's sessions at the server, where they are known by the ports at its end; return how many."""
    ports = [one.laddr.port for one in psutil.Process(beat.pid).net_connections()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY (%s)", [ports])
        return len(cursor.fetchall())
