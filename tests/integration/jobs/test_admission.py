"""What the edge refuses while a queue is behind, and what it never refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from jobs.errors import Overloaded
from jobs.flow.admission import LONGEST_RETRY_SECONDS, admit, forget
from jobs.flow.load import MANY
from jobs.models import QueueLoad
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db

BOUND = 60


@pytest.fixture(autouse=True)
def _bounded(settings: Any) -> None:
    settings.LEDGER_QUEUES = [
        replace(queue, refuse_above_seconds=BOUND) if queue.name == "probe" else queue
        for queue in settings.LEDGER_QUEUES
    ]


def backlog(*, ready: int, drain: float) -> None:
    QueueLoad.objects.update_or_create(queue="probe", defaults={"ready": ready, "drain": drain})
    forget()


def test_new_work_is_refused_until_the_measured_rate_has_brought_the_backlog_down_to_the_bound() -> None:
    backlog(ready=900, drain=10)
    with pytest.raises(Overloaded) as refusal:
        admit(queue="probe")
    assert refusal.value.retry_after == 900 / 10 - BOUND


def test_a_backlog_that_drains_in_time_refuses_nobody_however_long_it_is() -> None:
    backlog(ready=100_000, drain=5_000)
    admit(queue="probe")


def test_a_backlog_that_nobody_counts_to_its_end_is_as_long_as_its_oldest_job_is_old() -> None:
    backlog(ready=MANY, drain=5_000)
    admit(queue="probe")
    QueueLoad.objects.update(oldest_seconds=BOUND + 7)
    forget()
    with pytest.raises(Overloaded) as refusal:
        admit(queue="probe")
    assert refusal.value.retry_after == 7


def test_nobody_is_told_to_come_back_next_week() -> None:
    backlog(ready=1_000_000, drain=0.5)
    with pytest.raises(Overloaded) as refusal:
        admit(queue="probe")
    assert refusal.value.retry_after == LONGEST_RETRY_SECONDS


def test_with_every_worker_gone_the_sale_goes_on() -> None:
    backlog(ready=1_000_000, drain=0)
    admit(queue="probe")


def test_with_every_relay_gone_the_sale_goes_on(clock: Clock) -> None:
    backlog(ready=900, drain=10)
    clock.advance(timedelta(minutes=1))
    admit(queue="probe")


def test_an_empty_installation_refuses_nobody() -> None:
    admit(queue="probe")


def test_a_queue_without_a_bound_is_never_asked_about(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    QueueLoad.objects.create(queue="messages", ready=1_000_000, drain=1)
    connection.ensure_connection()
    with django_assert_num_queries(0):
        admit(queue="messages")
