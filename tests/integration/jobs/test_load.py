"""What is measured of the queues: right, cheap, and known to be stale when it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from jobs.flow import load
from jobs.flow.heartbeats import Sign, beat, drains
from jobs.flow.load import MEASURE, STALE_SECONDS, Load, current_load, measure, save
from jobs.flow.window import Drain
from jobs.models import Heartbeat, Job, QueueLoad
from jobs.relay import report
from jobs.relay.loop import Relay
from jobs.relay.report import Report
from tests.fixtures_clock import Clock
from tests.fixtures_relay import enqueue_many
from tests.ledger import real_commits

pytestmark = pytest.mark.django_db

FILL = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, state, gate, destination, ordering_key,
        sequence, attempts, published_at, finished_at, available_at)
    SELECT 'probe.leave_a_mark', '{}', 'probe', 5, '', '', %(state)s, %(gate)s, '', %(key)s,
        number, 0, jobs_now(), jobs_now(), jobs_now() + %(due)s * interval '1 second'
    FROM generate_series(1, %(count)s) AS number
"""


def fill(count: int, *, state: str = "waiting", gate: str = "ready", key: str = "", due: int = 0) -> None:
    """Put so many jobs of the probe's queue into the ledger, as any number of enqueues would."""
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"count": count, "state": state, "gate": gate, "key": key, "due": due})


def of_probe(loads: list[Load]) -> Load:
    return next(load for load in loads if load.queue == "probe")


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that measuring runs."""
    seen: list[str] = []
    run = load.run

    def counted(using: str, statement: str, parameters: dict[str, Any]) -> Any:
        seen.append(statement)
        return run(using, statement, parameters)

    monkeypatch.setattr(load, "run", counted)
    return seen


def test_jobs_are_counted_by_what_they_wait_for_in_one_query(queries: list[str]) -> None:
    fill(4)
    fill(3, gate="later", due=60)
    fill(2, gate="blocked", key="order:1")
    fill(5, state="published")
    fill(1, state="running")
    fill(6, state="dead")
    fill(7, state="done")
    probe = of_probe(measure())
    assert (probe.ready, probe.later, probe.blocked) == (4, 3, 2)
    assert (probe.published, probe.running, probe.dead) == (5, 1, 6)
    assert len(queries) == 1


def test_every_queue_of_the_table_is_told_of_and_others_only_while_they_have_jobs() -> None:
    fill(1)
    Job.objects.update(queue="renamed")
    queues = [load.queue for load in measure()]
    assert queues[-1] == "renamed"
    assert "probe" in queues
    save(measure(), using="default")
    assert QueueLoad.objects.filter(queue="renamed").exists()
    Job.objects.all().delete()
    save(measure(), using="default")
    assert not QueueLoad.objects.filter(queue="renamed").exists()


@pytest.mark.parametrize(
    ("state", "gate", "key"),
    [("waiting", "ready", ""), ("waiting", "later", ""), ("published", "ready", "")],
)
def test_a_job_that_has_not_started_grows_old_wherever_it_is(clock: Clock, state: str, gate: str, key: str) -> None:
    fill(2, state=state, gate=gate, key=key, due=10)
    clock.advance(timedelta(seconds=40))
    assert 30 <= of_probe(measure()).oldest_seconds < 31


@pytest.mark.parametrize("state", ["running", "dead", "done", "cancelled"])
def test_a_job_that_has_started_or_ended_does_not_grow_old(clock: Clock, state: str) -> None:
    fill(2, state=state)
    clock.advance(timedelta(seconds=40))
    assert of_probe(measure()).oldest_seconds == 0


def test_a_job_that_is_not_due_is_not_old() -> None:
    fill(1, gate="later", due=3600)
    assert of_probe(measure()).oldest_seconds == 0


def test_a_large_backlog_is_counted_no_further_than_is_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "LIMITS", {"many": 300, "fewer": 100})
    monkeypatch.setattr(load, "COUNTED", {**load.COUNTED, "ready": 300, "dead": 100})
    fill(5000)
    fill(5000, state="done")
    fill(5000, state="dead")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE jobs_job")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {MEASURE}", load.LIMITS)
        ((plan,),) = cursor.fetchall()
    plans = json.loads(plan) if isinstance(plan, str) else plan
    scans = [node for node in nodes(plans[0]["Plan"]) if node.get("Relation Name") == "jobs_job"]
    assert {node["Node Type"] for node in scans} <= {"Index Scan", "Index Only Scan"}
    assert max(node["Actual Rows"] for node in scans) <= 300
    probe = of_probe(measure())
    assert (probe.shown("ready"), probe.shown("dead"), probe.shown("running")) == ("300+", "100+", "0")


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)


def test_what_is_kept_is_told_until_it_is_stale(clock: Clock) -> None:
    fill(3)
    save(measure(drains={"probe": 1.5}), using="default")
    kept = of_probe(current_load())
    assert (kept.ready, kept.drain_per_second, kept.drain_seconds, kept.is_stale) == (3, 1.5, 2.0, False)
    clock.advance(timedelta(seconds=STALE_SECONDS + 1))
    assert of_probe(current_load()).is_stale


def test_a_queue_that_nobody_has_measured_is_stale_and_its_drain_unknown() -> None:
    unknown = of_probe(current_load())
    assert unknown.is_stale
    assert unknown.measured_at is None
    fill(1)
    assert of_probe(measure()).drain_seconds is None


def relay_sign(name: str, *, probe: float) -> Sign:
    return Sign(name=name, kind=Heartbeat.Kind.RELAY, queues=["probe"], drains={"probe": probe})


def test_the_drain_is_what_all_live_relays_see_together(clock: Clock) -> None:
    beat(relay_sign("relay of yesterday", probe=100), using="default", started_at=None)
    clock.advance(timedelta(seconds=16))
    beat(relay_sign("one relay", probe=20), using="default", started_at=None)
    beat(relay_sign("another relay", probe=30), using="default", started_at=None)
    assert drains(using="default") == {"probe": 50}


@pytest.fixture
def reported() -> Iterator[Report]:
    """A relay's report, whose session does not outlive the test."""
    yield Report(using="default")
    connection.close()


@real_commits
def test_a_relay_at_rest_measures_seldom_and_one_with_work_every_second(
    reported: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(report.time, "monotonic", lambda: now)
    times: list[float] = []
    monkeypatch.setattr(report, "measure", lambda **_: times.append(now) or [])
    drained: dict[str, Drain] = {"probe": Drain()}
    for tenth in range(100):
        now = 1000 + tenth / 10
        reported.look(drained)
    assert times == [1000, 1005]
    drained["probe"].note(now=now, published=0, added=5)
    for tenth in range(100, 130):
        now = 1000 + tenth / 10
        reported.look(drained)
    assert times[2:] == [1010, 1011, 1012]


@real_commits
def test_a_relay_says_what_there_is_to_do_and_that_it_lives(relay_here: Relay) -> None:
    enqueue_many(30)
    relay_here.run_once()
    probe = of_probe(current_load())
    assert (probe.ready, probe.is_stale) == (30, False)
    assert Heartbeat.objects.get().kind == Heartbeat.Kind.RELAY
    relay_here._report.close()
    assert not Heartbeat.objects.exists()


@real_commits
def test_a_load_that_cannot_be_measured_holds_up_no_job(relay_here: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "SAVE", "SELECT 1 / 0")
    jobs = enqueue_many(5)
    assert relay_here.run_once() == 5
    assert Job.objects.filter(pk__in=jobs, state="published").count() == 5
