"""A job that has ended leaves the ledger after 48 hours, once and whole; every other one stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction

from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.history.partitions import make_partition, month_of, months_with_partition
from jobs.history.retire import OLDEST, RETIRE, Retirement, count_due
from jobs.models import DedupKey, Job, JobHistory, StaffAction
from jobs.selectors import jobs_about, staff_actions_on, was_removed
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock
from tests.fixtures_history import LONG_AGO
from tests.ledger import real_commits
from tests.processes import wait_for_end

Ended = Callable[..., Job]


def retire_all() -> int:
    retirement, moved = Retirement(), 0
    while batch := retirement.retire_batch():
        moved += batch
    return moved


def numbers(rows: Any) -> list[int]:
    return sorted(rows.objects.values_list("pk", flat=True))


# What goes and what stays


@pytest.mark.parametrize("state", ["done", "cancelled"])
def test_an_ended_job_is_kept_for_48_hours_and_then_no_longer(ended: Ended, clock: Clock, state: str) -> None:
    job = ended(state=state, at=database_now())
    clock.advance(timedelta(hours=48) - timedelta(seconds=30))
    assert (retire_all(), count_due()) == (0, 0)
    clock.advance(timedelta(seconds=30))
    assert (count_due(), retire_all()) == (1, 1)
    assert (numbers(Job), numbers(JobHistory)) == ([], [job.pk])


@pytest.mark.parametrize("state", ["waiting", "published", "running", "dead"])
def test_a_job_that_has_not_ended_well_stays_however_old_it_is(ended: Ended, clock: Clock, state: str) -> None:
    job = ended(state=state)
    clock.advance(timedelta(days=500))
    assert retire_all() == 0
    assert numbers(Job) == [job.pk]


def test_the_history_keeps_what_support_asks_for_and_neither_arguments_nor_errors(ended: Ended) -> None:
    job = ended(
        state="cancelled",
        reason="by staff: asked for twice",
        destination="mail",
        correlation_id="c1",
        attempts=3,
        generation=2,
        error="SMTPRecipientsRefused: ada@example.org",
        traceback="ada@example.org",
    )
    retire_all()
    kept = JobHistory.objects.values().get()
    assert kept == {name: getattr(job, name) for name in kept}
    assert "ada@example.org" not in str(kept)
    assert not {"args", "error", "traceback"} & kept.keys()


def test_what_staff_did_to_a_removed_job_is_still_told(ended: Ended) -> None:
    job = ended(state="cancelled")
    StaffAction.objects.create(job_id=job.pk, action="cancel", by="Ada", reason="asked for twice")
    retire_all()
    assert [entry.by for entry in staff_actions_on(job_id=job.pk)] == ["Ada"]


def test_a_dedup_key_refuses_its_work_after_its_job_is_gone(db: None, clock: Clock) -> None:
    first = enqueue(task="probe.leave_a_mark", args={"key": "a"}, dedup_key="reminder of order 9")
    Job.objects.update(state="done", finished_at=database_now())
    clock.advance(timedelta(days=3))
    retire_all()
    clock.advance(timedelta(days=1000))
    again = enqueue(task="probe.leave_a_mark", args={"key": "a"}, dedup_key="reminder of order 9")
    assert (again, Job.objects.count(), DedupKey.objects.count()) == (first, 0, 1)


def test_a_removed_jobs_number_is_not_given_to_another(ended: Ended) -> None:
    job = ended()
    retire_all()
    assert enqueue(task="probe.leave_a_mark", args={"key": "b"}) > job.pk


def test_those_behind_a_removed_job_of_their_ordering_key_go_on_in_order(db: None, clock: Clock) -> None:
    first = enqueue(task="probe.leave_a_mark", args={"key": "a"}, ordering_key="show 7")
    Job.objects.update(state="done", finished_at=database_now())
    clock.advance(timedelta(days=3))
    retire_all()
    enqueue(task="probe.leave_a_mark", args={"key": "b"}, ordering_key="show 7")
    enqueue(task="probe.leave_a_mark", args={"key": "c"}, ordering_key="show 7")
    assert was_removed(job_id=first)
    assert list(Job.objects.order_by("sequence").values_list("gate", flat=True)) == ["ready", "blocked"]


# How it goes


def test_a_batch_takes_the_oldest_and_no_more_than_it_may(ended: Ended) -> None:
    jobs = [ended() for _ in range(5)]
    assert Retirement().retire_batch(size=2) == 2
    assert numbers(JobHistory) == [job.pk for job in jobs[:2]]


def test_a_batch_that_is_rolled_back_has_moved_nothing(ended: Ended) -> None:
    job = ended()
    make_partition(month=month_of(job.finished_at or database_now()))
    with transaction.atomic():
        assert Retirement().retire_batch() == 1
        transaction.set_rollback(True)
    assert (numbers(Job), numbers(JobHistory)) == ([job.pk], [])
    assert retire_all() == 1


def test_a_batch_keeps_to_one_month_and_the_next_batches_go_on(ended: Ended, clock: Clock, no_partitions: None) -> None:
    moments = [
        datetime(2027, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2028, 1, 1, tzinfo=UTC),
        datetime(2028, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2028, 3, 1, tzinfo=UTC),
    ]
    clock.advance(datetime(2028, 6, 1, tzinfo=UTC) - database_now())
    for at in moments:
        ended(at=at)
    retirement = Retirement()
    assert [retirement.retire_batch() for _ in range(5)] == [1, 1, 1, 1, 0]
    assert list(JobHistory.objects.order_by("id").values_list("finished_at", flat=True)) == moments
    assert months_with_partition() == [date(2027, 12, 1), date(2028, 1, 1), date(2028, 2, 1), date(2028, 3, 1)]


def test_the_search_uses_its_index_and_reads_what_it_moves(ended: Ended) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, state, finished_at) "
            "SELECT 'probe.leave_a_mark', '{}', 'probe', 5, '', '', 'done', jobs_now() - n * interval '1 minute' "
            "FROM generate_series(1, 5000) AS n"
        )
        cursor.execute("ANALYZE jobs_job")
        make_partition(month=month_of(database_now() - timedelta(days=3)))
        make_partition(month=month_of(database_now()))
        values = {"kept": 48, "after": None, "first": "-infinity", "end": "infinity", "batch": 100}
        for statement in (OLDEST, RETIRE):
            cursor.execute(f"EXPLAIN {statement}", values)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "job_ended" in plan
            assert "Seq Scan on jobs_job" not in plan


# Several at once


@real_commits
def test_two_that_move_at_once_move_each_job_once(ended: Ended) -> None:
    at = database_now() - LONG_AGO
    Job.objects.bulk_create(
        Job(task="probe.leave_a_mark", queue="probe", state="done", finished_at=at + timedelta(microseconds=nth))
        for nth in range(600)
    )
    jobs, moved, start = numbers(Job), [], threading.Barrier(3)

    def move() -> None:
        retirement = Retirement()
        start.wait(10)
        try:
            while Job.objects.exists():
                moved.append(retirement.retire_batch(size=20))
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=move) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (sum(moved), numbers(JobHistory), numbers(Job)) == (600, jobs, [])


@real_commits
def test_a_job_that_somebody_holds_is_passed_over_and_moved_when_it_is_let_go(ended: Ended) -> None:
    held, *others = [ended() for _ in range(3)]
    retirement = Retirement()
    with plain_connection("default") as other, other.transaction():
        other.execute("SELECT 1 FROM jobs_job WHERE id = %s FOR UPDATE", [held.pk])
        assert retirement.retire_batch() == 2
        assert retirement.retire_batch() == 0
    assert retirement.retire_batch() == 1
    assert numbers(JobHistory) == [held.pk, *(job.pk for job in others)]


@real_commits
def test_a_reader_sees_each_job_once_while_it_is_moved(ended: Ended) -> None:
    jobs = [ended().pk for _ in range(100)]
    seen: list[list[int]] = []
    retirement = Retirement()

    def move() -> None:
        try:
            while retirement.retire_batch(size=5):
                pass
        finally:
            connections["default"].close()

    thread = threading.Thread(target=move)
    thread.start()
    while thread.is_alive():
        seen.append([job.pk for job in jobs_about(subject="order:ABCD2345")])
    wait_for_end(thread)
    assert all(each == jobs for each in seen)
    assert all(job.removed for job in jobs_about(subject="order:ABCD2345"))
