"""The sweep under its lock, as beat's job and as a command: one at a time, and nothing hangs on that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from structlog.testing import capture_logs

from inventory import expire_holds
from inventory import release_expired_holds as service
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from inventory.release_expired_holds import LOCK, Outcome, Sweep, release_expired_holds
from jobs import transitions
from jobs.errors import LockLost
from jobs.lease import Lease, take
from jobs.models import Job
from tests.expired_holds import assert_whole, counting, real_commits, somebody_waits_for_a_lock
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids, statuses
from tests.fixtures_jobs import environment
from tests.processes import ROOT, Process, wait_for

pytestmark = real_commits


@pytest.fixture
def lapsed_holds(show_on_sale: Show) -> list[Hold]:
    """Six holds of two seats each, whose time is over, the one that lapsed longest first."""
    ids = seat_ids(show_on_sale)
    holds = [hold_seats(show_id=show_on_sale.pk, seat_ids=ids[i : i + 2]) for i in range(0, 12, 2)]
    for nth, hold in enumerate(holds):
        let_lapse(hold, ago=timedelta(seconds=60 - nth))
    return holds


@pytest.fixture
def environment_of_commands(transactional_db: None) -> dict[str, str]:
    return environment(os.environ["BROKER_URL"])


@pytest.fixture
def another_at_it(db: None) -> Lease:
    """Somebody holds the sweep's lock."""
    lease = take(name=LOCK, seconds=25)
    assert lease is not None
    return lease


def statuses_of(holds: list[Hold]) -> list[str]:
    found = dict(Hold.objects.values_list("pk", "status"))
    return [found[hold.pk] for hold in holds]


def test_a_sweep_ends_what_has_lapsed_and_counts_it(show_on_sale: Show, lapsed_holds: list[Hold]) -> None:
    with counting() as counted:
        assert release_expired_holds(batch_size=4) == Sweep(Outcome.DONE, 6)

    assert set(statuses(show_on_sale).values()) == {"available"}
    assert (counted.expired, counted.sweeps) == ({"sweeper": 6}, {"done": 1})


def test_a_sweep_that_finds_another_one_at_it_does_nothing_and_counts_that(
    another_at_it: Lease, lapsed_holds: list[Hold]
) -> None:
    with counting() as counted:
        assert release_expired_holds() == Sweep(Outcome.ANOTHER_AT_IT)

    assert set(statuses_of(lapsed_holds)) == {"active"}
    assert (counted.expired, counted.sweeps) == ({}, {"another at it": 1})


def test_the_job_of_a_sweep_that_found_another_one_at_it_is_done(
    another_at_it: Lease, lapsed_holds: list[Hold], enqueued: Callable[..., int], work: Callable[[int], object]
) -> None:
    job_id = enqueued("inventory.release_expired_holds")
    transitions.mark_due(using="default", queue="default", window=10, batch=10)
    with counting() as counted:
        work(job_id)

    assert Job.objects.values_list("state", "attempts").get(pk=job_id) == ("done", 0)
    assert counted.sweeps == {"another at it": 1}


def test_two_sweeps_within_five_seconds_are_one(lapsed_holds: list[Hold], show_on_sale: Show, clock: Clock) -> None:
    """Beat and a CronJob call for the same run, and the first has ended before the second begins."""
    assert release_expired_holds().expired == 6
    clock.advance(timedelta(seconds=4))
    assert release_expired_holds().outcome is Outcome.ANOTHER_AT_IT
    clock.advance(timedelta(seconds=1))
    assert release_expired_holds() == Sweep(Outcome.DONE, 0)


def test_of_many_sweeps_at_once_one_works(lapsed_holds: list[Hold]) -> None:
    outcomes = all_at_once([release_expired_holds] * 8, threads=8)

    assert sorted(outcome.outcome.value for outcome in outcomes) == ["another at it"] * 7 + ["done"]  # type: ignore[union-attr]
    assert set(statuses_of(lapsed_holds)) == {"expired"}


def test_without_the_lock_it_is_as_correct(another_at_it: Lease, lapsed_holds: list[Hold]) -> None:
    """The lock saves work; what ends each hold once is the conditional UPDATE."""
    with counting() as counted:
        all_at_once([lambda: expire_holds.expire_holds(batch_size=2)] * 6, threads=6)
        expire_holds.expire_holds()  # what each of them left to another one

    assert counted.expired == {"sweeper": 6}
    assert {seat.version for hold in lapsed_holds for seat in Seat.objects.filter(pk__in=hold.seat_ids)} == {3}


def test_a_sweep_that_outlives_its_lock_keeps_what_it_did_says_so_and_the_next_one_goes_on(
    lapsed_holds: list[Hold], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = expire_holds.batches_of_lapsed_holds

    def each_takes_ten_seconds(**options: Any) -> Iterator[int]:
        for size in batches(**options):
            clock.advance(timedelta(seconds=10))
            yield size

    monkeypatch.setattr(service, "batches_of_lapsed_holds", each_takes_ten_seconds)
    with counting() as counted, capture_logs() as logs:
        assert release_expired_holds(batch_size=1) == Sweep(Outcome.CUT_SHORT, 3)

    assert statuses_of(lapsed_holds) == ["expired"] * 3 + ["active"] * 3
    assert [entry["expired"] for entry in logs if entry["event"] == "sweep cut short"] == [3]
    assert (counted.expired, counted.sweeps) == ({"sweeper": 3}, {"cut short": 1})

    monkeypatch.undo()
    assert release_expired_holds() == Sweep(Outcome.DONE, 3)


def test_a_batch_whose_lock_somebody_else_has_taken_is_rolled_back(lapsed_holds: list[Hold], clock: Clock) -> None:
    late = take(name=LOCK, seconds=25)
    clock.advance(timedelta(seconds=25))
    assert take(name=LOCK, seconds=25) is not None
    assert late is not None

    with pytest.raises(LockLost):
        next(expire_holds.batches_of_lapsed_holds(lock=late))

    assert set(statuses_of(lapsed_holds)) == {"active"}


def test_a_sweep_that_dies_in_the_middle_leaves_whole_holds_only(
    lapsed_holds: list[Hold], clock: Clock, environment_of_commands: dict[str, str]
) -> None:
    command = [sys.executable, "manage.py", "release_expired_holds", "--batch-size", "2"]
    with transaction.atomic():
        list(Seat.objects.select_for_update().filter(pk=lapsed_holds[3].seat_ids[1]))
        dying = Process("sweep", command, environment_of_commands, ready="")
        # It has marked the holds of its second batch, and waits for one of their seats.
        wait_for(somebody_waits_for_a_lock, what="the sweep waits for the seat")
        dying.kill()
    wait_for(lambda: not transactions_of_others(), what="PostgreSQL has noticed")

    assert statuses_of(lapsed_holds) == ["expired"] * 2 + ["active"] * 4
    for hold in lapsed_holds:
        assert_whole(hold)

    assert release_expired_holds().outcome is Outcome.ANOTHER_AT_IT  # as far as anybody can know
    clock.advance(timedelta(seconds=25))
    assert release_expired_holds() == Sweep(Outcome.DONE, 4)
    assert {seat.version for hold in lapsed_holds for seat in Seat.objects.filter(pk__in=hold.seat_ids)} == {3}


def test_the_command_says_how_many_and_that_another_one_has_just_been(lapsed_holds: list[Hold]) -> None:
    assert said_by_the_command() == "Expired holds released: 6\n"
    assert said_by_the_command() == "Another sweep is at it, or has just been. Nothing was done.\n"


def test_the_command_fails_with_a_sentence_when_the_database_is_away(environment_of_commands: dict[str, str]) -> None:
    away = {**environment_of_commands, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    command = [sys.executable, "manage.py", "release_expired_holds"]
    ended = subprocess.run(command, cwd=ROOT, env=away, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "Broken off, since the database failed (OperationalError)." in ended.stderr
    assert "Traceback" not in ended.stderr


def said_by_the_command() -> str:
    said = StringIO()
    call_command("release_expired_holds", stdout=said)
    return said.getvalue()


def transactions_of_others() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])
