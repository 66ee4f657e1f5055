"""A run and its database session: lost, left inside a transaction, or held back by a lock."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from celery import current_app
from django.db import OperationalError, connection, transaction

from jobs.errors import TransientError
from jobs.models import Job
from jobs.record import record
from jobs.session import engine_session
from jobs.worker.execution import CRASH_LOOP_CAP, Outcome, run_job
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Mark

pytestmark = real_commits


Work = Callable[[int], Outcome]


def end_own_session() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_a_lost_session_postpones_the_job_without_an_attempt(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            end_own_session()

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.reason) == ("waiting", 0, "the ledger's connection was lost")
    assert Mark.objects.count() == 0


def test_a_job_that_loses_its_session_each_time_ends_as_a_crash_loop(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    """A query that kills its backend would otherwise do so for ever."""

    def body(*, key: str) -> None:
        end_own_session()

    job_id = published(scratch_task(body), key="a")
    for deliveries in range(1, CRASH_LOOP_CAP + 1):
        assert work(job_id) is Outcome.SETTLED
        assert job(job_id).deliveries == deliveries
        Job.objects.update(state="published")
    assert work(job_id) is Outcome.DEAD
    assert job(job_id).reason == "crash loop"


def test_a_session_lost_before_the_claim_is_opened_again(published: Callable[..., int], work: Work) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    pid = engine_session("default").pid
    with pytest.raises(OperationalError):
        end_own_session()
    task = current_app.tasks["probe.leave_a_mark"]
    assert run_job(task, job_id=job_id, using="default", worker="here") is Outcome.SETTLED
    assert (state_of(job_id), Mark.objects.count()) == ("done", 1)
    assert engine_session("default").pid != pid


def test_a_transaction_that_a_body_left_open_swallows_neither_its_outcome_nor_the_next_job(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    """As when a time limit strikes between the steps with which Django leaves a block."""

    def body(*, key: str) -> None:
        transaction.atomic().__enter__()
        Mark.objects.create(key=key)
        raise TransientError

    broken, good = published(scratch_task(body), key="a"), published("probe.leave_a_mark", key="b")
    work(broken)
    work(good)
    connection.close()  # what was not committed is gone
    assert (state_of(broken), state_of(good)) == ("waiting", "done")
    assert [mark.key for mark in Mark.objects.all()] == ["b"]


def test_a_body_that_opens_a_transaction_by_hand_and_returns_is_not_done_by_accident(
    scratch_task: Callable[..., str], published: Callable[..., int], work: Work
) -> None:
    def body(*, key: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
        Mark.objects.create(key=key)

    job_id = published(scratch_task(body), key="a")
    work(job_id)
    connection.close()
    assert (state_of(job_id) == "done") == (Mark.objects.count() == 1)


def test_the_session_of_a_worker_lets_no_lock_outlive_a_lease(published: Callable[..., int], work: Work) -> None:
    published("probe.call", key="a")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval),"
            " extract(epoch FROM current_setting('lock_timeout')::interval), current_setting('synchronous_commit')"
        )
        idle, lock, commit = cursor.fetchone()
    assert 0 < lock < idle < 4
    assert commit == "off"
