"""Gates keep jobs that cannot run out of the way of those that can."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction

from jobs import gates, transitions
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.relay import promoter as promoter_module
from jobs.relay.promoter import Promoter
from jobs.relay.seniority import TURNS, Seniority
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = real_commits


def gate_of(job_id: int) -> str:
    return Job.objects.values_list("gate", flat=True).get(pk=job_id)


@transaction.atomic
def enqueue_in(seconds: float) -> int:
    due = database_now() + timedelta(seconds=seconds)
    return enqueue(task="probe.leave_a_mark", args={"key": "a"}, available_at=due)


def handed_out(**options: int) -> list[int]:
    marked = transitions.mark_due(using="default", queue="probe", **{"window": 1000, "batch": 1000, **options})
    return [message.job_id for message in marked.messages]


def test_a_job_of_the_future_is_not_handed_out_before_its_gate_opens(clock: Clock) -> None:
    job_id = enqueue_in(seconds=60)
    assert (gate_of(job_id), handed_out()) == ("later", [])
    assert gates.open_later(using="default") == 0
    clock.advance(timedelta(seconds=61))
    assert gates.open_later(using="default") == 1
    assert (gate_of(job_id), handed_out()) == ("ready", [job_id])


def test_the_promoter_sleeps_until_the_next_job_is_due_and_never_longer_than_it_may() -> None:
    promoter = Promoter(using="default")
    promoter.open_gates()
    assert 0.3 < promoter.seconds_left <= 0.5
    enqueue_in(seconds=0.2)
    promoter = Promoter(using="default")
    promoter.open_gates()
    assert promoter.seconds_left <= 0.2


def test_the_promoter_rests_while_somebody_holds_a_job_that_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promoter_module, "SHORTEST_SECONDS", 60.0)
    job_id = enqueue_in(seconds=60)
    Job.objects.filter(pk=job_id).update(available_at=database_now() - timedelta(seconds=1))
    with plain_connection("default") as other, other.transaction():
        other.execute("SELECT 1 FROM jobs_job WHERE id = %s FOR UPDATE", [job_id])
        promoter = Promoter(using="default")
        assert promoter.open_gates() == 0
        assert promoter.seconds_left > 0
    assert gate_of(job_id) == "later"
    assert Promoter(using="default").open_gates() == 1


def test_a_claim_of_ready_jobs_does_not_read_those_that_wait_for_their_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, available_at, gate) "
            "SELECT 'probe.leave_a_mark', '{}', 'probe', 0, '', '', jobs_now() + interval '1 day', 'later' "
            "FROM generate_series(1, 5000)"
        )
        with transaction.atomic():
            ready = [enqueue(task="probe.leave_a_mark", args={"key": str(number)}) for number in range(10)]
        cursor.execute("ANALYZE jobs_job")
        cursor.execute(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + transitions.MARK_DUE,
            {
                "queue": "probe",
                "window": 100,
                "batch": 100,
                "owed": 1,
                "destinations": [],
                "allowed": [],
                "paced": [],
            },
        )
        ((plan,),) = cursor.fetchall()
    assert rows_read(plan[0]["Plan"]) < 200
    assert sorted(Job.objects.filter(state="published").values_list("pk", flat=True)) == ready


def rows_read(node: dict[str, object]) -> int:
    """Rows that scans of the table returned or threw away, in a plan of PostgreSQL."""
    own = 0
    if node.get("Relation Name") == "jobs_job" and "Scan" in str(node["Node Type"]):
        own = int(node["Actual Rows"]) * int(node["Actual Loops"]) + int(node.get("Rows Removed by Filter", 0))
    return own + sum(rows_read(child) for child in node.get("Plans", []))


@pytest.mark.parametrize("window", [1, 10, 500])
def test_an_old_job_that_is_not_urgent_goes_though_urgent_ones_never_end(window: int) -> None:
    with transaction.atomic():
        patient = enqueue(task="probe.leave_a_mark", args={"key": "patient"}, priority=9)
    seniority, urgent_before_it = Seniority(), 0
    while True:
        with transaction.atomic():
            for number in range(window):
                enqueue(task="probe.leave_a_mark", args={"key": str(number)}, priority=0)
        batch = handed_out(window=window, owed=seniority.owed("probe"))
        seniority.note("probe", handed_out=len(batch))
        if patient in batch:
            break
        urgent_before_it += len(batch)
        assert urgent_before_it <= max(TURNS, window)
        Job.objects.filter(state="published").update(state="done")


def test_seniority_takes_one_place_in_eleven_and_no_more() -> None:
    seniority, by_age, total = Seniority(), 0, 0
    for batch in [1, 3, 7, 50, 500, 2, 0, 11] * 20:
        by_age += min(seniority.owed("probe"), batch)
        seniority.note("probe", handed_out=batch)
        total += batch
    assert 0.95 * total / (TURNS + 1) <= by_age <= total / (TURNS + 1)
