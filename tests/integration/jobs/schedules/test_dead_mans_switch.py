"""What is told of beats and schedules when all is well, and when nobody ticks."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from jobs.clock import database_now
from jobs.models import Job, Lease, Schedule, ScheduledRun
from jobs.scrape.schedules import samples_of_schedules
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db


def told() -> dict[tuple[str, ...], float]:
    return {(name, *labels): value for name, labels, value in samples_of_schedules(using="default")}


@pytest.fixture
def scheduled() -> Callable[..., Schedule]:
    """Make a schedule, by default one that is due in a minute."""

    def _make(name: str = "sweep", *, due_in: float | None = 60, error: str = "", enabled: bool = True) -> Schedule:
        every, _ = IntervalSchedule.objects.get_or_create(every=30, period="seconds")
        task = PeriodicTask.objects.create(name=name, task="probe.leave_a_mark", interval=every, enabled=enabled)
        due = None if due_in is None else database_now() + timedelta(seconds=due_in)
        return Schedule.objects.create(periodic_task=task, next_run_at=due, error=error)

    return _make


def ran(schedule: Schedule, *, ago: float, **job: Any) -> Job:
    """One run that was due so many seconds ago, and its job."""
    due = database_now() - timedelta(seconds=ago)
    made = Job.objects.create(task="probe.leave_a_mark", queue="probe", available_at=due, **job)
    ScheduledRun.objects.create(schedule=schedule, due_at=due, job_id=made.pk)
    return made


def ticked(*, ago: float) -> None:
    now = database_now()
    moment = now - timedelta(seconds=ago)
    Lease.objects.create(name="beat", owner="here", token=1, until=now, taken_at=moment, renewed_at=moment)


def test_where_no_beat_has_ever_ticked_the_age_is_above_any_limit() -> None:
    assert told() == {("jobs_scheduler_tick_age_seconds",): math.inf}


def test_the_tick_ages_from_the_last_renewal_whoever_holds_the_lease(clock: Clock) -> None:
    ticked(ago=0)
    clock.advance(timedelta(seconds=61))
    assert 61 <= told()["jobs_scheduler_tick_age_seconds",] < 90


def test_a_last_tick_in_the_future_is_no_sign_of_life_after_a_clock_was_set_back(clock: Clock) -> None:
    ticked(ago=0)
    clock.advance(timedelta(hours=-1))
    assert told()["jobs_scheduler_tick_age_seconds",] > 3500


def test_a_schedule_is_late_by_how_long_its_run_is_overdue_and_not_before(scheduled: Callable[..., Schedule]) -> None:
    scheduled("nightly", due_in=3600)
    scheduled("sweep", due_in=-90)
    values = told()
    assert values["jobs_schedule_late_seconds", "nightly"] == 0
    assert 90 <= values["jobs_schedule_late_seconds", "sweep"] < 120


def test_a_schedule_that_was_switched_off_is_not_late(scheduled: Callable[..., Schedule]) -> None:
    scheduled(due_in=-900, enabled=False)
    assert not any(name.startswith("jobs_schedule_") for name, *_ in told())


def test_a_schedule_that_cannot_be_enqueued_is_broken_though_nothing_of_it_is_due(
    scheduled: Callable[..., Schedule],
) -> None:
    scheduled("broken", due_in=None, error="There is no task of this name.")
    scheduled("whole")
    values = told()
    assert (values["jobs_schedule_broken", "broken"], values["jobs_schedule_broken", "whole"]) == (1, 0)
    assert values["jobs_schedule_late_seconds", "broken"] == 0


def test_the_last_run_tells_how_long_ago_it_was_due_and_how_late_it_started(scheduled: Callable[..., Schedule]) -> None:
    schedule = scheduled()
    ran(schedule, ago=300, state="dead")
    assert told()["jobs_schedule_last_run_dead", "sweep"] == 1
    now = database_now()
    ran(schedule, ago=100, state="done", started_at=now - timedelta(seconds=90), finished_at=now)
    values = told()
    assert 100 <= values["jobs_schedule_last_run_age_seconds", "sweep"] < 120
    assert values["jobs_schedule_last_start_late_seconds", "sweep"] == pytest.approx(10, abs=1)
    assert values["jobs_schedule_last_run_dead", "sweep"] == 0


def test_a_last_run_that_nobody_starts_grows_later_and_later(scheduled: Callable[..., Schedule], clock: Clock) -> None:
    ran(scheduled(), ago=10)
    clock.advance(timedelta(seconds=500))
    assert told()["jobs_schedule_last_start_late_seconds", "sweep"] >= 510


def test_a_last_run_that_is_in_the_history_has_its_age_alone(scheduled: Callable[..., Schedule]) -> None:
    ran(scheduled(), ago=60).delete()
    values = told()
    assert values["jobs_schedule_last_run_age_seconds", "sweep"] >= 60
    assert ("jobs_schedule_last_start_late_seconds", "sweep") not in values
