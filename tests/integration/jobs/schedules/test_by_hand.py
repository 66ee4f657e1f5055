"""Schedules by hand: run now once for each press, and nothing of what is disabled, however closely a beat is at it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django_celery_beat.models import PeriodicTask

from jobs import lease as leases
from jobs.clock import database_now
from jobs.errors import ReasonMissing, UnfitSchedule, UnknownTarget
from jobs.models import DedupKey, Job, Schedule, ScheduledRun, StaffAction
from jobs.schedules.change import save_schedule
from jobs.schedules.fire import fire
from jobs.schedules.plan import plan
from jobs.schedules.run_now import run_schedule_now
from jobs.schedules.switch import disable_schedule, enable_schedule
from tests.fixtures_clock import Clock
from tests.fixtures_schedules import MakeSchedule
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

WHO = {"by": "anna", "reason": "wanted now"}


def run_now(schedule: Schedule, press: str = "first", **given: Any) -> tuple[int, bool]:
    return run_schedule_now(schedule_id=schedule.pk, press=press, **{**WHO, **given})


def in_its_own_session(work: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        try:
            return work()
        finally:
            connection.close()

    return run


def test_running_now_leaves_a_job_a_run_and_a_word_about_who_and_why(schedules: MakeSchedule) -> None:
    made = schedules("tidy", args={"key": "<due at>"}, priority=1)
    before = database_now()
    job_id, made_it = run_now(made)
    job, run, entry = Job.objects.get(pk=job_id), ScheduledRun.objects.get(), StaffAction.objects.get()
    assert made_it
    assert (job.task, job.subject, job.priority) == ("probe.leave_a_mark", "schedule:tidy", 1)
    assert job.args == {"key": run.due_at.isoformat()}
    assert (run.schedule_id, run.job_id) == (made.pk, job_id)
    assert before <= run.due_at <= database_now()
    assert (entry.action, entry.target, entry.by, entry.reason) == ("run now", "schedule tidy", "anna", "wanted now")


def test_two_presses_are_two_runs_and_one_press_that_comes_twice_is_one(schedules: MakeSchedule) -> None:
    made = schedules()
    first, _ = run_now(made, "a")
    second, _ = run_now(made, "b")
    assert run_now(made, "a") == (first, False)
    assert first != second
    assert Job.objects.count() == ScheduledRun.objects.count() == StaffAction.objects.count() == 2


def test_one_press_that_comes_ten_times_at_once_is_one_run(schedules: MakeSchedule) -> None:
    made, meeting = schedules(), threading.Barrier(10, timeout=20)

    def press() -> tuple[int, bool]:
        meeting.wait(60)
        return run_now(made)

    with ThreadPoolExecutor(10) as pool:
        told = [future.result(60) for future in [pool.submit(in_its_own_session(press)) for _ in range(10)]]

    assert len({job_id for job_id, _ in told}) == 1
    assert sum(made_it for _, made_it in told) == 1
    assert Job.objects.count() == ScheduledRun.objects.count() == StaffAction.objects.count() == 1


def test_running_now_leaves_the_plan_alone_and_works_for_what_is_disabled_or_was_never_planned(
    schedules: MakeSchedule,
) -> None:
    off = schedules("off", enabled=False)
    run_now(off)
    soon = database_now() + timedelta(minutes=5)
    planned = schedules("planned", next_run_at=soon)
    run_now(planned)
    planned.refresh_from_db()
    assert planned.next_run_at == soon
    new = PeriodicTask.objects.create(
        name="new", task="probe.leave_a_mark", kwargs='{"key": "x"}', interval=planned.periodic_task.interval
    )
    run_schedule_now(schedule_id=new.pk, press="x", **WHO)
    assert ScheduledRun.objects.filter(schedule_id=new.pk).count() == 1


@pytest.mark.parametrize(
    ("given", "error"),
    [({"task": "gone.away"}, UnfitSchedule), ({"kwargs": "[1]"}, UnfitSchedule), ({"kwargs": "{"}, UnfitSchedule)],
)
def test_what_makes_no_job_is_refused_and_nothing_is_left_behind(
    schedules: MakeSchedule, given: dict[str, str], error: type[Exception]
) -> None:
    made = schedules()
    PeriodicTask.objects.filter(pk=made.pk).update(**given)
    with pytest.raises(error):
        run_now(made)
    for model in (Job, ScheduledRun, StaffAction, DedupKey):
        assert not model.objects.exists()


def test_without_a_reason_or_a_schedule_nothing_runs(schedules: MakeSchedule) -> None:
    made = schedules()
    with pytest.raises(ReasonMissing):
        run_now(made, reason=" ")
    with pytest.raises(UnknownTarget):
        run_schedule_now(schedule_id=made.pk + 1, press="x", **WHO)
    assert not Job.objects.exists()


def test_switching_is_done_once_told_to_the_trail_and_to_beats(schedules: MakeSchedule) -> None:
    made = schedules(next_run_at=database_now(), definition="every 30.0 s")
    assert disable_schedule(schedule_id=made.pk, **WHO)
    assert not disable_schedule(schedule_id=made.pk, **WHO)
    made.refresh_from_db()
    assert (made.periodic_task.enabled, made.next_run_at, made.definition) == (False, None, "")
    plan()
    made.refresh_from_db()
    assert made.next_run_at is None

    assert enable_schedule(schedule_id=made.pk, **WHO)
    assert not enable_schedule(schedule_id=made.pk, **WHO)
    plan()
    made.refresh_from_db()
    assert made.next_run_at > database_now() - timedelta(seconds=1)
    told = list(StaffAction.objects.order_by("id").values_list("action", "target"))
    assert told == [("pause", "schedule sweep"), ("resume", "schedule sweep")]


def test_without_a_reason_nothing_is_switched(schedules: MakeSchedule) -> None:
    made = schedules()
    with pytest.raises(ReasonMissing):
        disable_schedule(schedule_id=made.pk, by="anna", reason="")
    assert PeriodicTask.objects.get(pk=made.pk).enabled


def test_what_was_due_while_it_was_disabled_is_not_made_up_for(schedules: MakeSchedule, clock: Clock) -> None:
    made = schedules(every=60, catch_up="all")
    plan()
    disable_schedule(schedule_id=made.pk, **WHO)
    clock.advance(timedelta(hours=1))
    enable_schedule(schedule_id=made.pk, **WHO)
    plan()
    made.refresh_from_db()
    assert made.next_run_at > database_now()


@pytest.mark.parametrize("way", ["button", "page"])
def test_a_beat_that_has_read_what_is_disabled_meanwhile_enqueues_nothing(
    schedules: MakeSchedule, clock: Clock, way: str
) -> None:
    made = schedules(every=60)
    plan()
    clock.advance(timedelta(seconds=61))
    lease = leases.take(name="beat", seconds=3600)
    assert lease is not None
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        if way == "button":
            disable_schedule(schedule_id=made.pk, **WHO)
        else:
            task = PeriodicTask.objects.get(pk=made.pk)
            task.enabled = False
            save_schedule(task=task, catch_up="once")
        beat = pool.submit(in_its_own_session(lambda: fire(schedule_id=made.pk, lease=lease)))
        wait_for(somebody_waits_for_us, seconds=20, what="the beat waits for the schedule's row")
    assert beat.result(timeout=20) == []
    assert not Job.objects.exists()


def somebody_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])
