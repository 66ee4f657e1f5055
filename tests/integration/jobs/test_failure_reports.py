"""What Sentry hears of failed jobs: each death once, with its traceback, and nothing of what will be tried again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
import structlog
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from jobs import transitions
from jobs.claim import Claim
from jobs.dead import report
from jobs.dead.death import die
from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.failures.retry import CRASH_LOOP_CAP
from jobs.models import Job
from jobs.record import record
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_jobs import broker_url, empty, environment
from tests.fixtures_reports import ReportSink, all_sent, title
from tests.ledger import job, real_commits, wait_for_state
from tests.processes import System, wait_for

pytestmark = real_commits

Work = Callable[[int], Outcome]


def fail_with(error: BaseException) -> Callable[..., None]:
    def body(*, key: str) -> None:
        raise error

    return body


def publish_again(job_id: int) -> None:
    """What the relay does when the job is due again."""
    Job.objects.filter(pk=job_id).update(available_at=F("created_at"))
    engine_session("default")
    transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)


class ClientError(Exception):
    """As clients of APIs write them: an attribute that is not there is asked of the answer."""

    def __getattr__(self, name: str) -> object:
        return {"code": 7}[name]


def chained(length: int) -> Exception:
    error = Exception("the first")
    for _ in range(length):
        outer = Exception("the next")
        outer.__cause__, error = error, outer
    return error


@pytest.mark.parametrize("error", [ClientError("no such seat"), chained(3000)], ids=["no attributes", "long chain"])
def test_a_failure_that_is_hard_to_read_is_dead_with_what_can_be_read_and_reported(
    error: Exception, scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    job_id = published(scratch_task(fail_with(error)), key="a")
    assert work(job_id) is Outcome.DEAD
    row = job(job_id)
    assert (row.state, row.reason, row.error) == ("dead", "permanent error", f"{type(error).__name__}: {error}")
    assert "in body" in row.traceback
    assert len(all_sent(reports).events) == 1


def test_an_unknown_failure_is_permanent_keeps_its_traceback_and_is_reported_once(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    def sell_what_is_not_there(*, key: str) -> None:
        raise KeyError("nobody expected this")

    job_id = published(scratch_task(sell_what_is_not_there), key="a")
    assert work(job_id) is Outcome.DEAD
    row = job(job_id)
    assert (row.state, row.reason, row.attempts) == ("dead", "permanent error", 0)
    assert "in sell_what_is_not_there" in row.traceback
    assert "KeyError: 'nobody expected this'" in row.traceback
    (event,) = all_sent(reports).events
    assert title(event) == "KeyError"
    frames = event["exception"]["values"][-1]["stacktrace"]["frames"]
    assert frames[-1]["function"] == "sell_what_is_not_there"
    assert event["tags"]["task"] == row.task
    assert event["tags"]["reason"] == "permanent error"


def test_a_transient_failure_is_reported_when_the_job_dies_of_it_and_not_before(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    name = scratch_task(fail_with(TransientError("out")), max_retries=2, retry_backoff=0)
    job_id = published(name, key="a")
    for _ in range(2):
        assert work(job_id) is Outcome.SETTLED
        publish_again(job_id)
    assert all_sent(reports).events == []
    assert work(job_id) is Outcome.DEAD
    assert job(job_id).reason == "attempts used up"
    assert all_sent(reports).titles() == ["TransientError"]


def test_a_rate_limit_is_not_reported_however_often_it_is_met(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    job_id = published(scratch_task(fail_with(RateLimited(retry_after=1)), max_retries=0), key="a")
    for _ in range(3):
        assert work(job_id) is Outcome.SETTLED
        assert job(job_id).reason == "rate limited"
        publish_again(job_id)
    assert all_sent(reports).events == []


def test_a_crash_loop_has_no_exception_and_is_reported_all_the_same(
    published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    job_id = published("probe.call", key="a")
    Job.objects.filter(pk=job_id).update(deliveries=CRASH_LOOP_CAP)
    assert work(job_id) is Outcome.DEAD
    assert all_sent(reports).titles() == ["probe.call is dead: crash loop"]


def test_a_callback_that_fails_as_well_is_a_second_failure(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    name = scratch_task(fail_with(PermanentError("no")), on_dead="tests.probe.tasks.fail_burial")
    work(published(name, key="a"))
    assert all_sent(reports).titles() == ["PermanentError", "RuntimeError"]


def test_a_fault_that_a_loop_meets_each_second_is_reported_once_an_hour(
    reports: ReportSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "_told", {})
    for _ in range(3):
        report.report_standing_fault(KeyError("again"), where="rescue")
    report.report_standing_fault(ValueError("another"), where="rescue")
    assert all_sent(reports).titles() == ["KeyError", "ValueError"]
    monkeypatch.setattr(report, "REPEAT_SECONDS", 0.0)
    report.report_standing_fault(KeyError("again"), where="rescue")
    assert all_sent(reports).titles() == ["KeyError", "KeyError", "ValueError"]


def test_a_death_that_is_rolled_back_is_no_death(claimed: Callable[..., Claim], reports: ReportSink) -> None:
    claim = claimed()
    with transaction.atomic():
        assert die(
            using="default", job_id=claim.job_id, token=claim.token, task="probe.call", args={}, reason="by a test"
        )
        transaction.set_rollback(True)
    assert job(claim.job_id).state == "running"
    assert all_sent(reports).events == []


def test_a_run_that_has_lost_its_lease_does_not_report_a_death_that_it_could_not_write(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    def lose_the_lease_and_fail(*, key: str) -> None:
        Job.objects.update(token=F("token") + 1)
        raise KeyError(key)

    work(published(scratch_task(lose_the_lease_and_fail), key="a"))
    assert all_sent(reports).events == []


def test_a_failure_after_the_record_is_reported_once_though_the_job_is_done(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    def fail_too_late(*, key: str) -> None:
        with record():
            pass
        raise KeyError(key)

    job_id = published(scratch_task(fail_too_late), key="a")
    work(job_id)
    assert job(job_id).state == "done"
    assert all_sent(reports).titles() == ["KeyError"]


def test_a_row_that_postgresql_quotes_stays_out_of_the_report(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work, reports: ReportSink
) -> None:
    fan = " ".join(["Ada", "Example"])  # the line of code itself may stand in the report

    def violate(*, key: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TEMPORARY TABLE guest (name text, age integer CHECK (age > 0))")
            cursor.execute("INSERT INTO guest VALUES (%s, -1)", [fan])

    work(published(scratch_task(violate), key="a"))
    (event,) = all_sent(reports).events
    assert title(event) == IntegrityError.__name__
    assert fan not in json.dumps(event)


def test_an_error_that_another_app_logs_is_one_report_with_a_title_and_its_traceback(reports: ReportSink) -> None:
    log = structlog.get_logger("boxoffice.doors")
    try:
        raise FileNotFoundError("the ticket's file")
    except FileNotFoundError as error:
        log.exception("ticket_file_gone", order=7)
        log.error("ticket_file_still_gone", order=7, exc_info=error)
    log.error("nothing_was_raised", order=8)
    assert [(event["logentry"]["message"], event["extra"]["order"]) for event in all_sent(reports).events] == [
        ("ticket_file_gone", 7),
        ("ticket_file_still_gone", 7),
        ("nothing_was_raised", 8),
    ]
    assert [title(event) for event in reports.events] == [
        "FileNotFoundError",
        "FileNotFoundError",
        "nothing_was_raised",
    ]


@pytest.fixture
def reporting_system(report_sink: ReportSink, transactional_db: None) -> Iterator[System]:
    """A relay and a worker whose Sentry is the sink."""
    url = broker_url("redis")
    empty(url)
    system = System({**environment(url), "SENTRY_DSN": report_sink.dsn})
    system.start_worker(wait=False)
    system.start_relay(wait=False)
    for process in system.processes:
        process.wait_until_ready()
    yield system
    system.stop()


def test_in_a_real_worker_celery_and_its_log_add_no_second_report(
    reporting_system: System, report_sink: ReportSink, enqueued: Callable[..., int]
) -> None:
    def fail(kind: str, **args: object) -> int:
        return enqueued("probe.fail", key=kind, kind=kind, **args)

    ends = {
        enqueued("probe.ignore_the_time_limit", key="killed", times=1): "done",
        enqueued("probe.hang", key="hangs"): "dead",
        fail("rate limited", times=1): "done",
        fail("transient"): "dead",
        **{fail(kind): "dead" for kind in ("unknown", "several arguments", "unpicklable", "ignore", "reject")},
        enqueued("probe.fail", key="heals", kind="transient", times=1): "done",
        enqueued("probe.leave_a_mark", key="well"): "done",
    }
    for job_id, state in ends.items():
        wait_for_state(job_id, state, seconds=30)
    expected = {
        "SoftTimeLimitExceeded": 1,  # probe.hang, which has one attempt
        "RuntimeError": 1,  # and its on_dead
        "TransientError": 1,
        "ValueError": 1,
        "Wordy": 1,
        "Unpicklable": 1,
        "Ignore": 1,
        "Reject": 1,
    }
    wait_for(lambda: len(report_sink.events) >= sum(expected.values()), what="all deaths are reported")
    for process in reporting_system.processes:
        process.terminate()  # sends what is left
    assert Counter(report_sink.titles()) == expected
