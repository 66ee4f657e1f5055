"""From due times to jobs: each once (I9), under the lease, by the schedule's rule for what was missed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django_celery_beat.models import ClockedSchedule, IntervalSchedule, PeriodicTask

from jobs import lease as leases
from jobs.clock import database_now
from jobs.errors import LockLost
from jobs.lease import Lease
from jobs.models import Job, Schedule, ScheduledRun
from jobs.periodic import DUE_AT
from jobs.schedules.fire import due_schedules, fire
from jobs.schedules.plan import plan
from tests.fixtures_clock import Clock
from tests.processes import wait_for_end

pytestmark = pytest.mark.django_db(transaction=True)

NewSchedule = Callable[..., Schedule]


@pytest.fixture(autouse=True)
def _no_minute_ends_meanwhile(clock: Clock) -> None:
    now = database_now()
    clock.advance(timedelta(minutes=1, seconds=20) - (now - now.replace(second=0, microsecond=0)))


@pytest.fixture
def every_minute() -> NewSchedule:
    def make(*, catch_up: str = "once", **fields: object) -> Schedule:
        interval, _ = IntervalSchedule.objects.get_or_create(every=1, period=IntervalSchedule.MINUTES)
        values = {"name": "probe", "task": "probe.leave_a_mark", "kwargs": '{"key": "probe"}', "interval": interval}
        task = PeriodicTask.objects.create(**{**values, **fields})
        Schedule.objects.create(periodic_task=task, catch_up=catch_up)
        plan()
        return Schedule.objects.get(pk=task.pk)

    return make


@pytest.fixture
def lease() -> Lease:
    taken = leases.take(name="beat", seconds=3600 * 24)
    assert taken is not None
    return taken


def test_a_schedule_is_due_at_its_time_and_not_before(every_minute: NewSchedule, lease: Lease, clock: Clock) -> None:
    schedule = every_minute()
    assert due_schedules() == []
    assert fire(schedule_id=schedule.pk, lease=lease) == []
    clock.advance(timedelta(seconds=60))
    assert due_schedules() == [schedule.pk]


def test_the_job_the_run_and_the_advance_commit_together(every_minute: NewSchedule, lease: Lease, clock: Clock) -> None:
    schedule = every_minute(priority=2)
    clock.advance(timedelta(seconds=60))
    (job_id,) = fire(schedule_id=schedule.pk, lease=lease)
    job, run = Job.objects.get(pk=job_id), ScheduledRun.objects.get()
    assert (job.task, job.args, job.subject, job.priority) == (
        "probe.leave_a_mark",
        {"key": "probe"},
        "schedule:probe",
        2,
    )
    assert (run.due_at, run.job_id) == (schedule.next_run_at, job_id)
    schedule.refresh_from_db()
    assert schedule.next_run_at == run.due_at + timedelta(minutes=1)
    task = schedule.periodic_task
    assert task.total_run_count == 1
    assert task.last_run_at is not None


def test_a_failure_after_the_insert_leaves_neither_job_nor_run_and_the_time_still_due(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute()
    clock.advance(timedelta(seconds=60))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_celery_beat_periodictask ADD CHECK (total_run_count < 1) NOT VALID")
    try:
        with pytest.raises(Exception, match="total_run_count"):
            fire(schedule_id=schedule.pk, lease=lease)
        assert not Job.objects.exists()
        assert not ScheduledRun.objects.exists()
        assert due_schedules() == [schedule.pk]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "ALTER TABLE django_celery_beat_periodictask"
                " DROP CONSTRAINT django_celery_beat_periodictask_total_run_count_check1"
            )


def test_a_beat_that_lost_its_lease_enqueues_nothing(every_minute: NewSchedule, lease: Lease, clock: Clock) -> None:
    schedule = every_minute()
    clock.advance(timedelta(days=2))
    assert leases.take(name="beat", seconds=60) is not None
    with pytest.raises(LockLost):
        fire(schedule_id=schedule.pk, lease=lease)
    assert not Job.objects.exists()
    assert not ScheduledRun.objects.exists()


def test_a_due_time_is_enqueued_once_though_ten_beats_hold_the_lease_and_fire_at_once(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    """A wrong election is harmless: here all of them have the leader's token."""
    schedule = every_minute(catch_up="all", kwargs=f'{{"key": "{DUE_AT}"}}')
    clock.advance(timedelta(minutes=5))
    start = threading.Barrier(10)

    def beat() -> None:
        start.wait(60)
        fire(schedule_id=schedule.pk, lease=lease)
        connection.close()

    beats = [threading.Thread(target=beat) for _ in range(10)]
    for thread in beats:
        thread.start()
    for thread in beats:
        wait_for_end(thread)
    keys = [job.args["key"] for job in Job.objects.all()]
    assert len(keys) == len(set(keys)) == ScheduledRun.objects.count() == 5


def test_a_due_time_that_has_its_run_is_passed_over_after_the_clock_was_set_back(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute()
    clock.advance(timedelta(seconds=60))
    first_due = schedule.next_run_at
    fire(schedule_id=schedule.pk, lease=lease)
    Job.objects.update(state="done")
    clock.advance(timedelta(seconds=-60))
    plan()
    schedule.refresh_from_db()
    assert schedule.next_run_at == first_due
    clock.advance(timedelta(seconds=60))
    assert fire(schedule_id=schedule.pk, lease=lease) == []
    schedule.refresh_from_db()
    assert schedule.next_run_at == first_due + timedelta(minutes=1)
    assert Job.objects.count() == 1


def test_a_clock_that_jumped_an_hour_ahead_and_back_does_not_stop_a_schedule_for_an_hour(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute()
    clock.advance(timedelta(hours=1))
    assert len(fire(schedule_id=schedule.pk, lease=lease)) == 1
    clock.advance(timedelta(hours=-1))
    plan()
    clock.advance(timedelta(seconds=60))
    assert len(fire(schedule_id=schedule.pk, lease=lease)) == 1


@pytest.mark.parametrize(("catch_up", "runs", "skipped"), [("all", 180, 0), ("once", 1, 179), ("skip", 1, 179)])
def test_three_hours_without_a_beat_are_made_up_for_by_the_rule(
    every_minute: NewSchedule, lease: Lease, clock: Clock, catch_up: str, runs: int, skipped: int
) -> None:
    schedule = every_minute(catch_up=catch_up)
    due = schedule.next_run_at
    assert due is not None
    clock.advance(due - database_now() + timedelta(minutes=179, seconds=10))
    while due_schedules():
        fire(schedule_id=schedule.pk, lease=lease)
    schedule.refresh_from_db()
    assert (ScheduledRun.objects.count(), schedule.skipped) == (runs, skipped)


def test_a_run_joins_the_one_before_that_still_waits_since_hours_without_workers_need_one_job(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute()
    for _ in range(3):
        clock.advance(timedelta(minutes=1))
        fire(schedule_id=schedule.pk, lease=lease)
    assert Job.objects.count() == 1
    assert set(ScheduledRun.objects.values_list("job_id", flat=True)) == {Job.objects.get().pk}


def test_a_run_does_not_join_one_that_was_enqueued_before_staff_changed_what_it_does(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    """The old job says what was wanted before; joined, it would be all that comes of a due time tonight."""
    schedule = every_minute()
    clock.advance(timedelta(seconds=60))
    (before,) = fire(schedule_id=schedule.pk, lease=lease)
    task = PeriodicTask.objects.get(pk=schedule.pk)
    task.kwargs = '{"key": "changed"}'
    task.save()
    clock.advance(timedelta(seconds=60))
    (after,) = fire(schedule_id=schedule.pk, lease=lease)
    clock.advance(timedelta(seconds=60))
    assert fire(schedule_id=schedule.pk, lease=lease) == [after]
    assert [Job.objects.get(pk=pk).args["key"] for pk in (before, after)] == ["probe", "changed"]


def test_a_run_does_not_join_one_that_is_running(every_minute: NewSchedule, lease: Lease, clock: Clock) -> None:
    schedule = every_minute()
    clock.advance(timedelta(minutes=1))
    fire(schedule_id=schedule.pk, lease=lease)
    Job.objects.update(state="running")
    clock.advance(timedelta(minutes=1))
    fire(schedule_id=schedule.pk, lease=lease)
    assert Job.objects.count() == 2


def test_a_task_that_runs_once_is_disabled_by_its_run_though_its_time_passed_before_any_beat_saw_it(
    lease: Lease, clock: Clock
) -> None:
    at = ClockedSchedule.objects.create(clocked_time=database_now() - timedelta(minutes=5))
    task = PeriodicTask.objects.create(
        name="once", task="probe.leave_a_mark", kwargs='{"key": "once"}', clocked=at, one_off=True
    )
    plan()
    assert len(fire(schedule_id=task.pk, lease=lease)) == 1
    task.refresh_from_db()
    assert not task.enabled
    plan()
    assert due_schedules() == []


def test_a_schedule_that_runs_only_once_does_so_however_many_of_its_runs_were_missed(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute(catch_up="all", one_off=True)
    clock.advance(timedelta(minutes=5))
    assert len(fire(schedule_id=schedule.pk, lease=lease)) == 1
    assert fire(schedule_id=schedule.pk, lease=lease) == []


def test_a_schedule_that_staff_disabled_a_moment_ago_enqueues_nothing(
    every_minute: NewSchedule, lease: Lease, clock: Clock
) -> None:
    schedule = every_minute()
    clock.advance(timedelta(minutes=1))
    PeriodicTask.objects.update(enabled=False)
    assert fire(schedule_id=schedule.pk, lease=lease) == []
    assert not Job.objects.exists()


def test_one_run_costs_nine_queries(
    every_minute: NewSchedule,
    lease: Lease,
    clock: Clock,
    django_assert_num_queries: Callable[[int], object],
) -> None:
    """Those of the engine's own cursors are not in Django's count: four here."""
    schedule = every_minute()
    clock.advance(timedelta(minutes=1))
    with django_assert_num_queries(5):  # type: ignore[attr-defined]
        fire(schedule_id=schedule.pk, lease=lease)
