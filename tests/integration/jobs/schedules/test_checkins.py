"""What Sentry's cron monitors hear of periodic jobs: each end of a run once, and nothing while it may still heal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import sentry_sdk
from django.db import transaction
from django.db.models import F
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask

from config.sentry import start_reporting
from jobs import transitions
from jobs.clock import database_now
from jobs.dead.death import die
from jobs.enqueue import enqueue
from jobs.errors import PermanentError, TransientError
from jobs.models import Job, Schedule, ScheduledRun
from jobs.record import record
from jobs.schedules.checkins import MARGIN_MINUTES, check_in, slug_of
from jobs.schedules.subject import subject_of
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_jobs import broker_url, empty, environment
from tests.fixtures_reports import ReportSink, all_sent
from tests.ledger import job
from tests.processes import System, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

Work = Callable[[int], Outcome]
MARK = "probe.leave_a_mark"


def every(number: int, period: str) -> dict[str, Any]:
    return {"interval": IntervalSchedule.objects.create(every=number, period=period)}


def nightly() -> dict[str, Any]:
    cron = CrontabSchedule.objects.create(minute="30", hour="3", timezone="Europe/Berlin")
    return {"crontab": cron}


def schedule(timing: dict[str, Any], *, name: str = "sweep", task: str = MARK) -> Schedule:
    return Schedule.objects.create(periodic_task=PeriodicTask.objects.create(name=name, task=task, **timing))


def due(of: Schedule, *, ago: float = 1.0, at: Any = None) -> int:
    """A job of the schedule, published, as a beat and a relay leave it."""
    job_id = due_in_ledger(of, ago=ago, at=at)
    publish()
    return job_id


def due_in_ledger(of: Schedule, *, ago: float = 1.0, at: Any = None) -> int:
    """A job of the schedule, as a beat leaves it."""
    with transaction.atomic():
        task = of.periodic_task
        job_id = enqueue(task=task.task, args={"key": f"{of.pk} {ago} {at}"}, subject=subject_of(task.name))
        moment = at or database_now() - timedelta(seconds=ago)
        ScheduledRun.objects.create(schedule=of, due_at=moment, job_id=job_id)
    return job_id


def publish() -> None:
    engine_session("default")
    transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)


def check_ins(sink: ReportSink) -> list[tuple[str, str]]:
    return [(each["monitor_slug"], each["status"]) for each in all_sent(sink).check_ins]


def test_a_run_that_is_done_is_told_with_its_timing_and_how_long_it_took(work: Work, reports: ReportSink) -> None:
    work(due(schedule(nightly(), name="Prune, nightly.jobs")))
    (told,) = all_sent(reports).check_ins
    assert (told["monitor_slug"], told["status"]) == ("prune-nightly-jobs", "ok")
    assert 0 <= told["duration"] < 5
    assert told["monitor_config"] == {
        "schedule": {"type": "crontab", "value": "30 3 * * *"},
        "timezone": "Europe/Berlin",
        "checkin_margin": MARGIN_MINUTES,
        "max_runtime": 1,
    }


@pytest.mark.parametrize(
    ("number", "period", "expected"),
    [
        (30, "seconds", (1, "minute")),
        (90, "seconds", (2, "minute")),
        (5, "minutes", (5, "minute")),
        (120, "minutes", (2, "hour")),
        (24, "hours", (1, "day")),
    ],
)
def test_an_interval_is_told_in_whole_minutes_hours_or_days(
    number: int, period: str, expected: tuple[int, str], work: Work, reports: ReportSink
) -> None:
    work(due(schedule(every(number, period))))
    (told,) = all_sent(reports).check_ins
    value, unit = expected
    assert told["monitor_config"]["schedule"] == {"type": "interval", "value": value, "unit": unit}


def test_a_run_that_dies_is_an_error_and_each_attempt_before_is_no_end(
    scratch_task: Callable[..., str], work: Work, reports: ReportSink
) -> None:
    def fail(*, key: str) -> None:
        raise TransientError("out")

    job_id = due(schedule(nightly(), task=scratch_task(fail, max_retries=1, retry_backoff=0)))
    assert work(job_id) is Outcome.SETTLED
    assert check_ins(reports) == []
    Job.objects.filter(pk=job_id).update(available_at=F("created_at"))
    publish()
    assert work(job_id) is Outcome.DEAD
    assert check_ins(reports) == [("sweep", "error")]


def test_whoever_marks_a_run_dead_tells_it_and_only_when_that_is_committed(reports: ReportSink) -> None:
    job_id = due(schedule(nightly()))
    death = {"using": "default", "job_id": job_id, "token": 0, "task": MARK, "args": {}, "reason": "by a test"}
    with transaction.atomic():
        assert die(**death, state="published")
        transaction.set_rollback(True)
    assert check_ins(reports) == []
    with transaction.atomic():
        assert die(**death, state="published")
        assert check_ins(reports) == []
    assert check_ins(reports) == [("sweep", "error")]


def test_a_run_that_fails_after_its_record_is_done_for_the_monitor_as_well(
    scratch_task: Callable[..., str], work: Work, reports: ReportSink
) -> None:
    def fail_too_late(*, key: str) -> None:
        with record():
            pass
        raise PermanentError("no")

    work(due(schedule(nightly(), task=scratch_task(fail_too_late))))
    assert check_ins(reports) == [("sweep", "ok")]


def test_a_run_that_lost_its_lease_leaves_it_to_the_run_that_ended_the_job(
    scratch_task: Callable[..., str], work: Work, reports: ReportSink
) -> None:
    def lose_the_lease(*, key: str) -> None:
        Job.objects.update(token=F("token") + 1, state="done", finished_at=F("created_at"))

    work(due(schedule(nightly(), task=scratch_task(lose_the_lease))))
    assert check_ins(reports) == []


def test_of_a_schedule_that_runs_twice_a_minute_the_first_run_of_each_minute_is_told(
    work: Work, reports: ReportSink
) -> None:
    half_minutes = schedule(every(30, "seconds"))
    minute = database_now().replace(second=0, microsecond=0) - timedelta(minutes=10)
    for seconds in (0, 30, 60, 90):
        work(due(half_minutes, at=minute + timedelta(seconds=seconds)))
    assert len(check_ins(reports)) == 2


def test_a_death_is_told_however_often_the_schedule_runs(
    scratch_task: Callable[..., str], work: Work, reports: ReportSink
) -> None:
    def fail(*, key: str) -> None:
        raise PermanentError("no")

    half_minutes = schedule(every(30, "seconds"), task=scratch_task(fail))
    minute = database_now().replace(second=0, microsecond=0) - timedelta(minutes=10)
    for seconds in (0, 30):
        work(due(half_minutes, at=minute + timedelta(seconds=seconds)))
    assert check_ins(reports) == [("sweep", "error")] * 2


def test_what_runs_once_and_what_no_schedule_enqueued_is_no_monitors_business(
    work: Work, published: Callable[..., int], reports: ReportSink
) -> None:
    clocked = ClockedSchedule.objects.create(clocked_time=database_now())
    work(due(schedule({"clocked": clocked, "one_off": True})))
    work(published(MARK, key="of nobody"))
    assert check_ins(reports) == []


def test_without_a_dsn_the_database_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.schedules.checkins.run", None)
    check_in(job_id=1, using="default", subject=subject_of("sweep"))


@pytest.fixture
def sentry_away() -> Iterator[None]:
    """A DSN at which nobody listens."""
    start_reporting("http://key@127.0.0.1:9/1", auto_enabling_integrations=False)
    yield
    sentry_sdk.get_client().close(timeout=0)
    sentry_sdk.get_global_scope().set_client(None)


def test_a_sentry_that_is_away_holds_up_no_job(work: Work, sentry_away: None) -> None:
    job_id = due(schedule(nightly()))
    started = time.monotonic()
    assert work(job_id) is Outcome.SETTLED
    assert time.monotonic() - started < 2
    assert job(job_id).state == "done"


def test_a_check_in_that_cannot_be_made_fails_no_job(
    work: Work, reports: ReportSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.schedules.checkins.ENDED", "SELECT no_such_column")
    job_id = due(schedule(nightly()))
    assert work(job_id) is Outcome.SETTLED
    assert job(job_id).state == "done"
    assert check_ins(reports) == []


def test_nothing_of_the_job_but_its_outcome_is_told(work: Work, reports: ReportSink) -> None:
    fan = "ada@example.org"
    of = schedule(nightly())
    with transaction.atomic():
        job_id = enqueue(task=MARK, args={"key": fan}, subject=subject_of("sweep"))
        ScheduledRun.objects.create(schedule=of, due_at=database_now(), job_id=job_id)
    publish()
    work(job_id)
    (told,) = all_sent(reports).check_ins
    assert fan not in json.dumps(told)
    assert not {"user", "tags", "extra", "breadcrumbs"} & told.keys()


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("inventory.release_expired_holds", "inventory-release_expired_holds"),
        ("Sitzpläne prüfen", "sitzplane-prufen"),
        ("夜間", "schedule-7"),
        ("2027", "schedule-7"),
    ],
)
def test_a_monitor_is_called_as_its_schedule_as_far_as_sentry_can_spell_it(name: str, slug: str) -> None:
    assert slug_of(name, 7) == slug


def test_long_names_that_begin_alike_are_two_monitors() -> None:
    one, other = (slug_of("a very long name of a schedule that somebody made " + end, 7) for end in ("one", "other"))
    assert one != other
    assert max(len(one), len(other)) <= 50


def test_real_processes_tell_of_a_run_that_is_done_and_of_one_whose_process_was_killed(report_sink: ReportSink) -> None:
    url = broker_url("redis")
    empty(url)
    system = System({**environment(url), "SENTRY_DSN": report_sink.dsn})
    try:
        system.start_worker(wait=False)
        system.start_relay(wait=False)
        due_in_ledger(schedule(nightly(), name="well"))
        due_in_ledger(schedule(nightly(), name="hangs", task="probe.outlast_every_time_limit"))
        wait_for(lambda: len(report_sink.check_ins) >= 2, seconds=30, what="both have checked in")
    finally:
        system.stop()
    told = {each["monitor_slug"]: each["status"] for each in report_sink.check_ins}
    assert told == {"well": "ok", "hangs": "error"}
