"""A delayed job is moved because what it waits for was moved."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from jobs import gates, transitions
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.reschedule import reschedule
from jobs.wakeup import CHANNEL, plain_connection
from tests.fixtures_clock import Clock
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits

pytestmark = real_commits

HOUR = timedelta(hours=1)


def delayed(**given: Any) -> int:
    with transaction.atomic():
        values = {"available_at": database_now() + HOUR, "unique_key": "sale:7", **given}
        return enqueue(task="probe.leave_a_mark", args={"key": "a"}, **values)


def handed_out() -> list[int]:
    gates.open_later(using="default")
    marked = transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    return [message.job_id for message in marked.messages]


def test_a_job_that_was_put_off_is_not_handed_out_at_its_first_time_but_at_its_new_one(clock: Clock) -> None:
    job_id = delayed()
    assert reschedule(unique_key="sale:7", available_at=database_now() + 3 * HOUR)
    clock.advance(2 * HOUR)
    assert handed_out() == []
    clock.advance(HOUR)
    assert handed_out() == [job_id]


def test_a_job_that_was_put_forward_is_handed_out_earlier(clock: Clock) -> None:
    job_id = delayed()
    assert reschedule(unique_key="sale:7", available_at=database_now() + HOUR / 2)
    assert handed_out() == []
    clock.advance(HOUR / 2)
    assert handed_out() == [job_id]


def test_a_job_that_was_moved_into_the_past_is_due_at_once_and_the_relay_hears_of_it() -> None:
    job_id = delayed()
    with plain_connection("default") as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        assert reschedule(unique_key="sale:7", available_at=database_now() - HOUR)
        assert [each.payload for each in listener.notifies(timeout=10, stop_after=1)] == ["probe"]
    assert handed_out() == [job_id]


def test_a_job_that_was_due_already_waits_again_for_a_later_time() -> None:
    delayed(available_at=database_now() - HOUR)
    assert reschedule(unique_key="sale:7", available_at=database_now() + HOUR)
    assert handed_out() == []


def test_the_move_shares_the_fate_of_the_callers_transaction() -> None:
    job_id = delayed()
    before = job(job_id).available_at
    with transaction.atomic():
        assert reschedule(unique_key="sale:7", available_at=database_now() - HOUR)
        transaction.set_rollback(True)
    assert (job(job_id).available_at, job(job_id).gate) == (before, "later")


def test_no_other_job_is_moved() -> None:
    others = [delayed(unique_key="sale:8"), delayed(unique_key="")]
    before = list(Job.objects.filter(pk__in=others).order_by("pk").values())
    assert not reschedule(unique_key="sale:7", available_at=database_now() - HOUR)
    assert not reschedule(unique_key="", available_at=database_now() - HOUR)
    assert list(Job.objects.filter(pk__in=others).order_by("pk").values()) == before


@pytest.mark.parametrize(
    "given",
    [
        {"state": "published"},
        {"state": "running"},
        {"state": "done"},
        {"state": "dead"},
        {"state": "cancelled"},
        {"state": "waiting", "reason": "will be tried again"},
        {"state": "waiting", "reason": "lost by the broker"},
    ],
)
def test_a_job_that_has_left_its_first_wait_is_left_alone_and_the_caller_is_told(
    dead_jobs: DeadJobs, given: dict[str, Any]
) -> None:
    (row,) = dead_jobs(**{"reason": "", **given}, unique_key="sale:7", available_at=database_now() + HOUR)
    before = Job.objects.filter(pk=row.pk).values().get()
    assert not reschedule(unique_key="sale:7", available_at=database_now() - HOUR)
    assert Job.objects.filter(pk=row.pk).values().get() == before


def test_a_job_behind_another_one_of_its_ordering_key_stays_behind_it() -> None:
    first = delayed(unique_key="", ordering_key="k")
    second = delayed(ordering_key="k")
    assert reschedule(unique_key="sale:7", available_at=database_now() - HOUR)
    assert handed_out() == []
    transitions.cancel(using="default", job_id=first, generation=0, reason="gone")
    assert handed_out() == [second]


def test_the_job_is_found_by_its_key_among_many() -> None:
    delayed()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, state, unique_key)"
            " SELECT 'a task', '{}', 'probe', 5, '', '', 'waiting', 'many:' || n FROM generate_series(1, 5000) AS n"
        )
        cursor.execute("ANALYZE jobs_job")
        cursor.execute(f"EXPLAIN {transitions.RESCHEDULE}", {"unique_key": "many:9", "available_at": database_now()})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert transitions.ONE_WAITS in plan, plan
