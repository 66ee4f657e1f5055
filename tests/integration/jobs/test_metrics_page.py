"""``/metrics``: who may read it, and what it says when things are as they should be and when they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from jobs import metrics
from jobs.clock import DatabaseNow
from jobs.flow.heartbeats import Sign, beat
from jobs.flow.load import measure, save
from jobs.models import Breaker, Heartbeat, Job, Pause
from jobs.scrape import ledger
from jobs.scrape.ledger import LedgerCollector
from jobs.wakeup import plain_connection
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = pytest.mark.django_db

TOKEN = "a-token-of-the-tests"


@pytest.fixture(autouse=True)
def _token(settings: Any) -> None:
    settings.LEDGER_METRICS_TOKEN = TOKEN


@pytest.fixture
def scrape(client: Client) -> Callable[[], dict[tuple[str, ...], float]]:
    """Read the page with the token; return each value by its name and labels, but for the database's."""

    def _scrape() -> dict[tuple[str, ...], float]:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return {
            (sample.name, *(value for label, value in sample.labels.items() if label != "database")): sample.value
            for family in text_string_to_metric_families(response.content.decode())
            for sample in family.samples
        }

    return _scrape


@pytest.mark.parametrize("header", [None, "Bearer wrong", f"Basic {TOKEN}", "Bearer", "Bearer ", TOKEN, "Bearer tökén"])
def test_whoever_has_no_token_is_told_how_to_come_in(client: Client, header: str | None) -> None:
    response = client.get("/metrics", headers={"Authorization": header} if header is not None else {})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response.content == b"Log in as staff, or send the token of METRICS_TOKEN as a bearer.\n"


def test_no_token_is_no_way_in(client: Client, settings: Any) -> None:
    settings.LEDGER_METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401


@pytest.mark.parametrize(("is_staff", "status"), [(True, 200), (False, 403)])
def test_staff_may_read_the_metrics_and_fans_may_not(client: Client, is_staff: bool, status: int) -> None:
    client.force_login(User.objects.create_user("somebody", is_staff=is_staff))
    assert client.get("/metrics").status_code == status


def test_nothing_keeps_a_copy_and_a_look_at_the_head_is_enough(client: Client) -> None:
    bearer = {"Authorization": f"bearer {TOKEN}"}
    for response in (client.get("/metrics", headers=bearer), client.head("/metrics", headers=bearer)):
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
        assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    assert client.post("/metrics", headers=bearer).status_code == 405


def worker(name: str, **more: Any) -> Sign:
    return Sign(name=name, kind=Heartbeat.Kind.WORKER, pool="tickets", queues=["tickets"], concurrency=3, **more)


def test_live_workers_and_relays_count_and_those_that_are_gone_do_not(
    scrape: Callable[[], dict[tuple[str, ...], float]], clock: Clock
) -> None:
    beat(worker("one"), using="default", started_at=None)
    clock.advance(timedelta(seconds=20))
    beat(worker("another"), using="default", started_at=None)
    beat(Sign(name="relay", kind=Heartbeat.Kind.RELAY, queues=[]), using="default", started_at=None)
    beat(Sign(name="beat", kind=Heartbeat.Kind.BEAT, queues=[]), using="default", started_at=None)
    values = scrape()
    assert values["jobs_relays",] == 1
    assert values["jobs_workers", "tickets"] == values["jobs_queue_workers", "tickets"] == 1
    assert values["jobs_queue_processes", "tickets"] == 3
    assert values["jobs_workers", "messages"] == values["jobs_queue_workers", "messages"] == 0


def test_what_is_held_back_is_told(scrape: Callable[[], dict[tuple[str, ...], float]]) -> None:
    Pause.objects.create(kind=Pause.Kind.QUEUE, name="messages", by="somebody", reason="because")
    Breaker.objects.create(destination="mail", state=Breaker.State.OPEN)
    values = scrape()
    assert values["jobs_paused", "queue", "messages"] == 1
    assert values["jobs_breaker", "mail", "open"] == 1
    assert values["jobs_breaker", "mail", "closed"] == 0


def test_the_age_is_right_even_where_no_relay_measures_it(
    scrape: Callable[[], dict[tuple[str, ...], float]], enqueued: Callable[..., int], clock: Clock
) -> None:
    save(measure(), using="default")
    assert scrape()["jobs_load_stale",] == 0
    enqueued("probe.leave_a_mark", key="1")
    clock.advance(timedelta(seconds=60))
    values = scrape()
    assert values["jobs_load_stale",] == 1
    assert values["jobs_oldest_due_seconds", "probe"] >= 60
    assert values["jobs_oldest_due_seconds", "probe"] > values["jobs_promise_seconds", "probe"]
    assert values["jobs_in_state", "probe", "ready"] == 1


def test_the_age_is_told_for_each_destination_by_itself_wherever_the_job_lies(
    scrape: Callable[[], dict[tuple[str, ...], float]], enqueued: Callable[..., int], clock: Clock
) -> None:
    age = "jobs_oldest_due_by_destination_seconds"
    assert scrape()[age, "", "probe"] == 0
    ready, overdue, at_the_broker, alone = (enqueued("probe.leave_a_mark", key=str(number)) for number in range(4))
    for job, columns in (
        (ready, {"destination": "mail"}),
        (overdue, {"destination": "push", "gate": "later"}),
        (at_the_broker, {"destination": "payments", "state": "published", "published_at": DatabaseNow()}),
    ):
        Job.objects.filter(pk=job).update(**columns)
    clock.advance(timedelta(seconds=60))
    Job.objects.filter(pk=alone).update(available_at=DatabaseNow() - timedelta(seconds=5))
    idle = enqueued("probe.leave_a_mark", key="later")
    Job.objects.filter(pk=idle).update(
        destination="idle", gate="later", available_at=DatabaseNow() + timedelta(seconds=600)
    )
    values = scrape()
    for destination in ("mail", "push", "payments"):
        assert 60 <= values[age, destination, "probe"] < 90
    assert 5 <= values[age, "", "probe"] < 35
    assert (age, "idle", "probe") not in values
    assert values[age, "", "tickets"] == 0


@pytest.fixture
def database_away() -> Iterator[None]:
    """Nobody listens where the database should be."""
    connection.close()
    port = connection.settings_dict["PORT"]
    connection.settings_dict["PORT"] = 1
    yield
    connection.settings_dict["PORT"] = port


@real_commits
def test_a_database_that_is_away_is_told_of_and_is_no_error(
    scrape: Callable[[], dict[tuple[str, ...], float]], database_away: None
) -> None:
    metrics.SKIPPED.labels(reason="database away").inc()
    values = scrape()
    assert values["jobs_ledger_up",] == 0
    assert values["jobs_skipped_total", "database away"] >= 1
    assert ("jobs_relays",) not in values


def test_a_database_that_answers_too_late_is_told_of_in_time_and_keeps_no_scrape(
    scrape: Callable[[], dict[tuple[str, ...], float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "NOT_FOR_LONG", "SELECT set_config('statement_timeout', '200ms', true)")
    with plain_connection("default") as other, other.transaction():
        other.execute("LOCK TABLE jobs_queueload IN ACCESS EXCLUSIVE MODE")
        values = scrape()
    assert values["jobs_ledger_up",] == 0
    assert ("jobs_relays",) not in values


def test_staff_are_told_why_nobody_knows_them_while_the_database_fails(client: Client, settings: Any) -> None:
    client.cookies[settings.SESSION_COOKIE_NAME] = "0123456789abcdef0123456789abcdef"
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_session RENAME TO gone")
    response = client.get("/metrics")
    assert response.status_code == 503
    assert b"database" in response.content


def test_no_label_says_who_or_what_exactly(enqueued: Callable[..., int], client: Client) -> None:
    enqueued("probe.leave_a_mark", key="fan@example.org")
    Pause.objects.create(kind=Pause.Kind.QUEUE, name="messages", by="staff@example.org", reason="because")
    text = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    assert "@" not in text
    known = {"database", "queue", "state", "pool", "kind", "name", "destination", "schedule"}
    assert {label for family in LedgerCollector().collect() for s in family.samples for label in s.labels} <= known


@real_commits
def test_a_job_counts_how_long_it_waited_and_whether_that_was_too_long(
    published: Callable[..., int], work: Callable[[int], Outcome], clock: Clock
) -> None:
    def waited() -> float:
        return metrics.WAIT_SECONDS.labels(queue="probe")._sum.get()

    def late() -> float:
        return metrics.STARTED_LATE.labels(queue="probe")._value.get()

    before, late_before = waited(), late()
    work(published("probe.leave_a_mark", key="at once"))
    assert waited() - before < 20
    assert late() == late_before
    job = published("probe.leave_a_mark", key="late")
    clock.advance(timedelta(seconds=40))
    work(job)
    assert waited() - before >= 40
    assert late() == late_before + 1
