"""What the ledger forgets at night, and what it must not forget however old it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Max
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from jobs import prune as pruning
from jobs.batches import in_batches
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.enqueue_many import enqueue_many
from jobs.history.retire import KEPT_HOURS
from jobs.models import DedupKey, Job, JobHistory, Schedule, ScheduledRun
from jobs.new_job import NewJob
from jobs.prune import KEPT_KEY_DAYS, KEPT_RUN_DAYS, Pruned, prune
from jobs.queues import queue_named
from jobs.tasks import forget_what_is_old
from jobs.wakeup import plain_connection
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

NOTHING = Pruned(keys=0, runs=0, jobs=0)
OLD = timedelta(days=KEPT_KEY_DAYS, seconds=60)


def old_key(key: str = "once", *, state: str = "", age: timedelta = OLD) -> None:
    """A dedup key of that age; its job is in the given state, or gone."""
    job_id = -1  # of a job that is long gone
    if state:
        job_id = Job.objects.create(task="probe.leave_a_mark", queue="probe", args={"key": "a"}, state=state).pk
    DedupKey.objects.create(key=key, job_id=job_id, created_at=database_now() - age)


def keys() -> set[str]:
    return set(DedupKey.objects.values_list("key", flat=True))


def enqueue_once(key: str = "once") -> int:
    with transaction.atomic():
        return enqueue(task="probe.leave_a_mark", args={"key": "a"}, dedup_key=key)


def enqueue_once_with_others(key: str = "once") -> int:
    with transaction.atomic():
        jobs = [NewJob(task="probe.leave_a_mark", args={"key": "a"}, dedup_key=each) for each in (key, "another")]
        return enqueue_many(jobs)[0]


both_ways = pytest.mark.parametrize("enqueue_with_key", [enqueue_once, enqueue_once_with_others])


def test_a_key_is_forgotten_after_a_year_and_a_month_and_not_before() -> None:
    old_key("old")
    old_key("young", age=OLD - timedelta(seconds=120))
    assert prune() == Pruned(keys=1, runs=0, jobs=0)
    assert keys() == {"young"}
    assert prune() == NOTHING


@pytest.mark.parametrize("state", ["waiting", "published", "running", "dead"])
def test_a_key_whose_job_may_still_run_is_kept_however_old_it_is(state: str) -> None:
    old_key(state=state, age=OLD * 10)
    assert prune() == NOTHING
    assert keys() == {"once"}


@pytest.mark.parametrize("state", ["done", "cancelled", ""])
def test_a_key_whose_job_has_ended_goes_with_its_age(state: str) -> None:
    old_key(state=state)
    assert prune().keys == 1


@both_ways
def test_what_was_asked_for_longer_ago_may_be_asked_for_again(enqueue_with_key: Callable[[], int]) -> None:
    old_key()
    prune()
    assert Job.objects.filter(pk=enqueue_with_key()).exists()


@contextmanager
def just_after(statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Let ``act`` happen once, right after the first statement of this connection that begins like ``statement``."""
    left = [act]

    def wrapper(execute: Any, sql: str, *args: Any) -> Any:
        result = execute(sql, *args)
        if left and sql.strip().startswith(statement):
            left.pop()()
        return result

    with connection.execute_wrapper(wrapper):
        yield
    assert not left


@both_ways
def test_a_key_that_is_forgotten_in_the_middle_of_an_enqueue_loses_no_job(enqueue_with_key: Callable[[], int]) -> None:
    old_key()

    def forget() -> None:
        with plain_connection("default") as other:
            other.execute("DELETE FROM jobs_dedupkey WHERE key = 'once'")

    with just_after("INSERT INTO jobs_dedupkey", forget):
        job_id = enqueue_with_key()
    assert Job.objects.filter(pk=job_id).exists()
    assert DedupKey.objects.get(key="once").job_id == job_id


@both_ways
def test_who_enqueues_while_its_key_is_being_forgotten_waits_for_that_and_gets_a_new_job(
    enqueue_with_key: Callable[[], int],
) -> None:
    old_key()
    made: list[int] = []

    def enqueue_there() -> None:
        try:
            made.append(enqueue_with_key())
        finally:
            connection.close()

    thread = threading.Thread(target=enqueue_there)
    with transaction.atomic():
        assert prune().keys == 1
        thread.start()
        wait_for(somebody_waits, what="the enqueue waits for the key")
        assert made == []
    thread.join(10)
    assert Job.objects.filter(pk=made[0]).exists()


def somebody_waits() -> bool:
    with plain_connection("default") as other:
        row = other.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    return row is not None and row[0] > 0


def test_a_key_that_somebody_has_locked_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("locked", "free"):
        old_key(key)
    with plain_connection("default") as other, other.transaction():
        other.execute("SELECT FROM jobs_dedupkey WHERE key = 'locked' FOR UPDATE")
        assert prune().keys == 1
    assert keys() == {"locked"}


def test_no_batch_is_larger_than_a_thousand_and_none_begins_after_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def noted(step: Callable[[], int], *, until: float) -> int:
        def one() -> int:
            sizes.append(step())
            return sizes[-1]

        return in_batches(one, until=until)

    monkeypatch.setattr(pruning, "in_batches", noted)
    at = database_now() - OLD
    DedupKey.objects.bulk_create(DedupKey(key=f"{n}", job_id=-n, created_at=at) for n in range(2500))
    old_key("kept", state="waiting", age=OLD * 2)
    assert prune(seconds=0) == NOTHING
    assert sizes == []
    assert prune().keys == 2500
    assert sizes == [0, 1000, 1000, 500, 0, 0]  # runs, keys, jobs
    assert keys() == {"kept"}


def schedule(name: str) -> Schedule:
    daily, _ = IntervalSchedule.objects.get_or_create(every=1, period="days")
    task = PeriodicTask.objects.create(name=name, task="probe.leave_a_mark", interval=daily)
    return Schedule.objects.create(periodic_task=task)


def runs(of: Schedule, *days_ago: float) -> None:
    now = database_now()
    ScheduledRun.objects.bulk_create(
        ScheduledRun(schedule=of, due_at=now - timedelta(days=days), job_id=1) for days in days_ago
    )


def last_run(of: Schedule) -> datetime:
    last: datetime = ScheduledRun.objects.filter(schedule=of).aggregate(last=Max("due_at"))["last"]
    return last


def test_runs_of_a_quarter_are_kept_and_the_last_one_of_each_schedule_for_ever() -> None:
    busy, sleeping, never = schedule("busy"), schedule("sleeping"), schedule("never ran")
    runs(busy, 1, 89, KEPT_RUN_DAYS + 1, 200, 400)
    runs(sleeping, 300, 301, 302)
    last = last_run(sleeping)
    assert prune() == Pruned(keys=0, runs=5, jobs=0)
    assert ScheduledRun.objects.filter(schedule=busy).count() == 2
    assert list(ScheduledRun.objects.filter(schedule=sleeping).values_list("due_at", flat=True)) == [last]
    assert not ScheduledRun.objects.filter(schedule=never).exists()
    assert prune() == NOTHING


def test_runs_go_in_batches_over_all_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 10)
    for name in ("one", "another"):
        runs(schedule(name), *(100 + number for number in range(26)))
    assert prune().runs == 50
    assert ScheduledRun.objects.count() == 2


def test_ended_jobs_that_no_relay_has_moved_go_to_the_history(ended: Callable[..., Job]) -> None:
    job = ended()
    young = ended(at=database_now() - timedelta(hours=KEPT_HOURS - 1))
    assert prune() == Pruned(keys=0, runs=0, jobs=1)
    assert JobHistory.objects.filter(pk=job.pk).exists()
    assert Job.objects.filter(pk=young.pk).exists()


def test_two_nights_at_once_share_the_work_and_forget_everything_once() -> None:
    at = database_now() - OLD
    DedupKey.objects.bulk_create(DedupKey(key=f"{n}", job_id=-n, created_at=at) for n in range(3000))
    forgotten: list[int] = []
    barrier = threading.Barrier(2)

    def one() -> None:
        try:
            barrier.wait(10)
            forgotten.append(prune().keys)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    prune()  # what one of them had in hand when the other one looked last
    assert sum(forgotten) == 3000
    assert keys() == set()


def test_the_task_and_the_command_do_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    old_key()
    forget_what_is_old.body()
    assert keys() == set()
    old_key()
    call_command("prune")
    assert capsys.readouterr().out == ("Forgotten: 1 dedup keys, 0 scheduled runs. Moved to the history: 0 jobs.\n")


def test_a_night_ends_well_before_its_time_limit() -> None:
    assert queue_named("default").soft_limit_seconds / 2 > pruning.LONGEST_SECONDS


def test_years_of_old_keys_keep_the_old_runs_waiting_for_no_other_night() -> None:
    nightly = schedule("nightly")
    runs(nightly, KEPT_RUN_DAYS + 2, KEPT_RUN_DAYS + 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_dedupkey (key, job_id, created_at)"
            " SELECT number, -1, jobs_now() - interval '500 days' FROM generate_series(1, 100000) AS number"
        )
    pruned = prune(seconds=0.3)
    assert pruned.runs == 1
    assert 0 < pruned.keys < 100_000, "there was time for all of them"
