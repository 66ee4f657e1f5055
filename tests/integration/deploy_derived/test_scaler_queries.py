"""The autoscaler's queries, as Kubernetes gets them, against real rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db import connection, transaction

from deploy.derived import keda
from deploy.local.checkout import ROOT
from jobs import transitions
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Breaker, Job, Pause
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db

POOL, QUEUE, TASK, PROMISE = "messages", "messages", "boxoffice.send_message", 60


def triggers(pool: str) -> dict[str, dict[str, Any]]:
    scaled_object = yaml.safe_load((ROOT / f"deploy/k8s/{pool}-scaledobject.yaml").read_text())
    return {trigger["name"]: trigger for trigger in scaled_object["spec"]["triggers"]}


def answer(name: str, pool: str = POOL) -> float:
    with connection.cursor() as cursor:
        cursor.execute(triggers(pool)[name]["metadata"]["query"])
        ((value,),) = cursor.fetchall()
    return float(value)


def backlog(count: int, task: str = TASK) -> list[int]:
    with transaction.atomic():
        return [enqueue(task=task, args={}) for _ in range(count)]


def test_an_empty_ledger_asks_for_no_worker() -> None:
    assert answer("age") == 0
    assert answer("depth") == 0


def test_the_age_is_that_of_the_oldest_due_job_in_promises(clock: Clock) -> None:
    backlog(1)
    clock.advance(timedelta(minutes=2))
    backlog(3)
    assert answer("age") == pytest.approx(120 / PROMISE, abs=0.1)
    assert answer("depth") == 4


def test_jobs_that_lie_at_a_broker_without_workers_grow_old_too(clock: Clock) -> None:
    backlog(3)
    transitions.mark_due(using="default", queue=QUEUE, window=500, batch=500)
    clock.advance(timedelta(minutes=1))
    assert answer("age") == pytest.approx(60 / PROMISE, abs=0.1)
    assert answer("depth") == 3


def test_a_job_of_another_pool_or_of_the_future_asks_for_nobody(clock: Clock) -> None:
    backlog(1, task="tickets.issue_tickets")
    backlog(1)
    Job.objects.filter(queue=QUEUE).update(gate="later")
    clock.advance(timedelta(minutes=5))
    assert (answer("age"), answer("depth")) == (0, 0)
    assert answer("age", "tickets") > 1


def test_an_age_is_never_negative_whatever_a_row_says() -> None:
    backlog(1)
    Job.objects.update(gate="ready", available_at=database_now() + timedelta(hours=1))
    assert answer("age") == 0


@pytest.mark.parametrize(("kind", "name"), [("queue", QUEUE), ("destination", "mail")])
def test_jobs_that_are_paused_ask_for_no_workers(kind: str, name: str, clock: Clock) -> None:
    backlog(5)
    Pause.objects.create(kind=kind, name=name, by="staff", reason="the provider moves")
    clock.advance(timedelta(minutes=5))
    assert (answer("age"), answer("depth")) == (0, 0)


def test_more_workers_would_not_bring_a_provider_back(clock: Clock) -> None:
    backlog(5)
    Breaker.objects.create(destination="mail", state="open")
    clock.advance(timedelta(minutes=5))
    assert (answer("age"), answer("depth")) == (0, 0)


def test_a_long_backlog_is_not_counted_to_its_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (task, args, queue, destination, priority, subject, correlation_id) "
            "SELECT %s, '{}', %s, 'mail', 5, '', '' FROM generate_series(1, 12000)",
            [TASK, QUEUE],
        )
    assert answer("depth") == keda.COUNTED


@pytest.mark.parametrize("pool", ["default", "tickets", "messages"])
def test_each_pool_is_scaled_by_age_and_by_depth(pool: str) -> None:
    scalers = triggers(pool)
    assert {(name, trigger["type"], trigger["metricType"]) for name, trigger in scalers.items()} == {
        ("age", "postgresql", "Value"),
        ("depth", "postgresql", "AverageValue"),
    }
    assert all(trigger["authenticationRef"]["name"] == "boxoffice-database" for trigger in scalers.values())
