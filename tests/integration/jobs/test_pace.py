"""How many jobs come and go: of the last minute, however many there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from jobs.clock import database_now
from jobs.flow import pace
from jobs.flow.pace import Pace, current_pace
from jobs.models import Job

pytestmark = pytest.mark.django_db


def some(count: int, **given: Any) -> None:
    Job.objects.bulk_create(
        Job(task="probe.leave_a_mark", args={}, **{"queue": "probe", "priority": 5, **given}) for _ in range(count)
    )


def test_what_came_and_went_within_the_last_minute_is_told_by_queue_and_older_things_are_not() -> None:
    now = database_now()
    long_ago = now - timedelta(minutes=5)
    some(30, state="done", created_at=long_ago, finished_at=now)
    some(12, state="done", created_at=long_ago, finished_at=long_ago)
    some(6, created_at=now)
    some(3, queue="elsewhere", created_at=now)
    found = current_pace()
    assert found["probe"] == Pace(came=pytest.approx(0.1), went=pytest.approx(0.5))
    assert found["elsewhere"].came == pytest.approx(0.05)


def test_jobs_that_failed_and_wait_for_their_next_attempt_are_told_apart_from_those_that_wait_for_their_time() -> None:
    soon = database_now() + timedelta(minutes=1)
    some(4, gate="later", available_at=soon, attempts=2)
    some(7, gate="later", available_at=soon)
    some(2, state="dead", attempts=20, finished_at=database_now())
    assert current_pace()["probe"].again == 4


def test_where_more_came_than_is_read_the_rate_is_that_of_the_time_they_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MOST", 10)
    now = database_now()
    for second in range(20, 0, -1):
        some(1, created_at=now - timedelta(seconds=second))
    assert current_pace()["probe"].came == pytest.approx(1, abs=0.2)


def test_the_page_tells_what_comes_leaves_and_is_tried_again(staff: Client) -> None:
    some(6, created_at=database_now(), gate="later", available_at=database_now() + timedelta(minutes=1), attempts=1)
    page = staff.get(reverse("admin:jobs_queueload_changelist")).content.decode()
    assert "6/min" in page
    assert "out 0/min" in page
    assert "6 to try again" in page
