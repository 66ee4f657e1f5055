"""What a worker's main process writes into the ledger about a run whose process it has to kill."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from celery import current_app
from celery.signals import worker_before_create_process
from celery.worker import state
from django.db import OperationalError, connection

from jobs.claim import Claim
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.children import requests_in_hand
from jobs.worker.outside import LITTLE_PATIENCE_SECONDS, PATIENCE_SECONDS, end_runs, note_time_limit, worker_name
from jobs.worker.worker import LedgerWorker
from tests.ledger import job, real_commits
from tests.probe.models import Burial
from tests.processes import wait_for

pytestmark = real_commits

PID = 4_194_304  # no process can have it: Linux counts up to one less


def request_for(claim: Claim, task: str = "probe.leave_a_mark") -> Any:
    Job.objects.filter(pk=claim.job_id).update(worker=worker_name(hostname="w@h", pid=PID))
    return SimpleNamespace(
        args=[claim.job_id, "default"], hostname="w@h", worker_pid=PID, name=task, task=current_app.tasks[task]
    )


@pytest.fixture
def locked(claimed: Callable[..., Claim]) -> Iterator[Claim]:
    """A run whose own process holds the row, as in the moment of its commit."""
    claim = claimed()
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT FROM jobs_job FOR UPDATE")
        yield claim


def test_a_time_limit_is_a_failed_attempt_that_waits_for_its_backoff(claimed: Callable[..., Claim]) -> None:
    claim = claimed()
    note_time_limit(request_for(claim), seconds=60)
    row = job(claim.job_id)
    assert (row.state, row.attempts, row.deliveries, row.reason) == ("waiting", 1, 0, "will be tried again")
    assert row.error.startswith("TimeLimitExceeded")


def test_a_time_limit_on_the_last_attempt_tells_the_domain(claimed: Callable[..., Claim]) -> None:
    claim = claimed("probe.fail", key="a", kind="transient")
    Job.objects.update(attempts=2)
    note_time_limit(request_for(claim, "probe.fail"), seconds=60)
    assert (job(claim.job_id).state, job(claim.job_id).reason) == ("dead", "attempts used up")
    assert [burial.key for burial in Burial.objects.all()] == ["a"]


def test_a_run_that_its_process_is_just_settling_is_left_alone_and_nobody_waits_for_it(locked: Claim) -> None:
    started = time.monotonic()
    note_time_limit(request_without_update(locked), seconds=60)
    assert time.monotonic() - started < PATIENCE_SECONDS / 2
    assert job(locked.job_id).state == "running"


def test_a_run_that_another_process_has_taken_over_is_not_touched(claimed: Callable[..., Claim]) -> None:
    claim = claimed()
    request = request_for(claim)
    Job.objects.update(worker=worker_name(hostname="w@h", pid=PID - 1))
    note_time_limit(request, seconds=60)
    assert (job(claim.job_id).state, job(claim.job_id).attempts) == ("running", 0)


def test_a_database_that_does_not_answer_holds_the_main_process_up_for_a_moment_only(
    claimed: Callable[..., Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()

    def no_answer(using: str) -> None:
        gone.wait(60)
        raise OperationalError

    request = request_for(claimed())
    monkeypatch.setattr("jobs.worker.outside.engine_session", no_answer)
    started = time.monotonic()
    for _ in range(4):  # runs that hang together
        note_time_limit(request, seconds=60)
    assert time.monotonic() - started < PATIENCE_SECONDS + 3 * LITTLE_PATIENCE_SECONDS + 0.5
    gone.set()


def test_a_stubborn_run_is_handed_back_without_a_delivery_even_if_its_transaction_held_the_row(
    claimed: Callable[..., Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = claimed()
    request = request_for(claim)
    with psycopg.connect(**connection.get_connection_params()) as child:
        child.execute("SELECT FROM jobs_job FOR UPDATE")
        monkeypatch.setattr("jobs.worker.outside.os.kill", lambda pid, number: child.close())
        end_runs([request])
    row = job(claim.job_id)
    assert (row.state, row.attempts, row.deliveries, row.reason) == ("waiting", 0, 0, "worker stopped")


def test_many_stubborn_runs_hold_up_the_stop_no_longer_than_one(
    claimed: Callable[..., Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()

    def no_answer(using: str) -> None:
        gone.wait(60)
        raise OperationalError

    requests = [request_for(claimed()) for _ in range(6)]
    monkeypatch.setattr("jobs.worker.outside.engine_session", no_answer)
    started = time.monotonic()
    end_runs(requests)
    assert time.monotonic() - started < 2 * PATIENCE_SECONDS + 0.5
    gone.set()


def test_only_runs_that_a_child_has_accepted_are_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = {1: SimpleNamespace(_worker_pid=PID), 2: SimpleNamespace(_worker_pid=None)}
    pool = SimpleNamespace(_cache=jobs, _pool=[SimpleNamespace(pid=PID), SimpleNamespace(pid=PID - 1)])
    accepted, sent, prefetched = (SimpleNamespace(worker_pid=pid) for pid in (PID, None, None))
    monkeypatch.setattr(state, "requests", dict(enumerate([prefetched, sent, accepted])))
    assert requests_in_hand(SimpleNamespace(pool=SimpleNamespace(_pool=pool))) == [accepted]


def sessions() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return {pid for (pid,) in cursor.fetchall()}


def test_a_visit_to_the_ledger_leaves_no_connection_behind(claimed: Callable[..., Claim]) -> None:
    request = request_for(claimed())
    before = sessions()
    note_time_limit(request, seconds=60)
    wait_for(lambda: sessions() <= before, what="its session has ended")


def test_a_child_shares_no_connection_with_the_process_that_forks_it(transactional_db: None) -> None:
    engine_session("default")
    worker_before_create_process.send(sender=LedgerWorker)
    assert connection.connection is None


def request_without_update(claim: Claim) -> Any:
    return SimpleNamespace(
        args=[claim.job_id, "default"], hostname="here", worker_pid=PID, name="probe.leave_a_mark",
        task=current_app.tasks["probe.leave_a_mark"],
    )  # fmt: skip
