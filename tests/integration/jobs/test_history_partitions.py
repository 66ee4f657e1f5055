"""The history's partitions come in time, go after 400 days, and stand in nobody's way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection, connections

from jobs.clock import database_now
from jobs.history.partitions import (
    HISTORY_DAYS,
    drop_expired_partitions,
    following,
    make_partition,
    make_partitions_ahead,
    month_of,
    months_with_partition,
)
from jobs.history.retire import Retirement
from jobs.models import Job, JobHistory
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = pytest.mark.usefixtures("no_partitions")

LONG_PAST = date(2000, 3, 1)


def be_at(clock: Clock, instant: datetime) -> None:
    clock.advance(instant - database_now())


def keep(*, at: datetime, number: int = 1) -> None:
    """Put a job into the history as if it had ended then."""
    make_partition(month=month_of(at))
    JobHistory.objects.create(
        pk=number, task="probe.leave_a_mark", queue="probe", created_at=at, finished_at=at, state="done"
    )


def bounds_of(month: date) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = %s", [f"jobs_jobhistory_{month:%Y_%m}"]
        )
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize(
    ("instant", "month", "after"),
    [
        (datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), date(2026, 11, 1), date(2026, 12, 1)),
        (datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), date(2026, 12, 1), date(2027, 1, 1)),
        (datetime(2027, 1, 1, tzinfo=UTC), date(2027, 1, 1), date(2027, 2, 1)),
        (datetime(2028, 1, 31, tzinfo=UTC), date(2028, 1, 1), date(2028, 2, 1)),
        (datetime(2028, 2, 29, 12, tzinfo=UTC), date(2028, 2, 1), date(2028, 3, 1)),
        (datetime.fromisoformat("2027-01-01T00:30:00+01:00"), date(2026, 12, 1), date(2027, 1, 1)),
    ],
)
def test_a_month_begins_and_ends_in_utc(instant: datetime, month: date, after: date) -> None:
    assert (month_of(instant), following(month)) == (month, after)


def test_this_month_and_the_next_are_made_ahead_and_only_once(db: None, clock: Clock) -> None:
    be_at(clock, datetime(2027, 12, 31, 23, 59, tzinfo=UTC))
    assert make_partitions_ahead() == [date(2027, 12, 1), date(2028, 1, 1)]
    assert make_partitions_ahead() == []
    be_at(clock, datetime(2028, 2, 29, 0, 1, tzinfo=UTC))
    assert make_partitions_ahead() == [date(2028, 2, 1), date(2028, 3, 1)]
    assert len(months_with_partition()) == 4


def test_months_are_utc_whatever_time_zone_the_session_has(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL TIME ZONE 'Pacific/Auckland'")
        make_partition(month=date(2026, 12, 1))
        cursor.execute("SET LOCAL TIME ZONE 'UTC'")
    assert bounds_of(date(2026, 12, 1)) == "FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00')"


def test_a_partition_has_the_indexes_and_the_primary_key_of_the_whole(db: None) -> None:
    make_partition(month=LONG_PAST)
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'jobs_jobhistory_2000_03'")
        definitions = " ".join(definition for (definition,) in cursor.fetchall())
    assert "(id, finished_at)" in definitions
    assert "(subject, id)" in definitions


def test_a_job_whose_month_has_no_partition_makes_it(ended: Callable[..., Job]) -> None:
    job = ended(at=datetime(2000, 3, 31, 23, 59, 59, tzinfo=UTC))
    assert Retirement().retire_batch() == 1
    assert months_with_partition() == [LONG_PAST]
    assert JobHistory.objects.get().pk == job.pk


def test_a_table_that_was_left_detached_is_attached_again_with_its_rows(db: None) -> None:
    keep(at=datetime(2000, 3, 5, tzinfo=UTC))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_jobhistory DETACH PARTITION jobs_jobhistory_2000_03")
    assert JobHistory.objects.count() == 0
    assert make_partition(month=LONG_PAST)
    assert JobHistory.objects.count() == 1


def test_a_partition_goes_when_its_last_instant_is_400_days_past_and_not_before(db: None, clock: Clock) -> None:
    keep(at=datetime(2000, 3, 31, 23, 59, 59, tzinfo=UTC), number=1)
    keep(at=datetime(2000, 4, 1, tzinfo=UTC), number=2)
    over = datetime(2000, 4, 1, tzinfo=UTC) + timedelta(days=HISTORY_DAYS)
    be_at(clock, over - timedelta(seconds=30))
    assert drop_expired_partitions() == []
    be_at(clock, over)
    assert drop_expired_partitions() == [LONG_PAST]
    assert list(JobHistory.objects.values_list("pk", flat=True)) == [2]
    assert drop_expired_partitions() == []


@real_commits
def test_two_that_make_a_partition_at_once_make_one(db: None) -> None:
    made: list[bool] = []
    start = threading.Barrier(4)

    def make() -> None:
        start.wait(10)
        try:
            made.append(make_partition(month=LONG_PAST))
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(made) == [False, False, False, True]
    assert months_with_partition() == [LONG_PAST]


@real_commits
def test_a_partition_is_made_while_others_read_and_write_the_history(db: None) -> None:
    keep(at=datetime(2000, 4, 1, tzinfo=UTC))
    with plain_connection("default") as other, other.transaction():
        other.execute("UPDATE jobs_jobhistory SET reason = 'seen'")
        other.execute("SELECT * FROM jobs_jobhistory")
        assert make_partition(month=LONG_PAST)


@real_commits
def test_a_partition_that_somebody_reads_stays_and_no_reader_waits_for_its_end(db: None) -> None:
    keep(at=datetime(2000, 3, 5, tzinfo=UTC))
    with plain_connection("default") as other, other.transaction():
        other.execute("SELECT * FROM jobs_jobhistory")
        assert drop_expired_partitions() == []
        with plain_connection("default") as third:
            third.execute("SET statement_timeout = '2s'")
            assert third.execute("SELECT count(*) FROM jobs_jobhistory").fetchone() == (1,)
    assert drop_expired_partitions() == [LONG_PAST]
