"""Each day is announced when it is over, also days at whose end nobody was there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from celery import current_app
from django.db import transaction

from boxoffice.end_day import end_day
from config.schedule import SCHEDULE
from jobs.models import Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def days(settings: Any, scratch_task: Callable[..., str]) -> Callable[[], list[dict[str, Any]]]:
    """The arguments of the jobs that follow; the test's own task stands for reconciliation."""

    def look_back(*, day: str) -> None: ...

    name = scratch_task(look_back)
    settings.LEDGER_EVENTS = {**settings.LEDGER_EVENTS, "boxoffice.DayEnded": (name,)}
    return lambda: list(Job.objects.filter(task=name).order_by("id").values("args", "subject"))


@pytest.mark.parametrize(
    ("due_at", "zone", "day"),
    [
        (datetime(2027, 3, 1, 3, 40, tzinfo=UTC), "UTC", "2027-02-28"),
        (datetime(2028, 3, 1, 0, 0, tzinfo=UTC), "UTC", "2028-02-29"),
        (datetime(2027, 1, 1, 3, 40, tzinfo=UTC), "UTC", "2026-12-31"),
        (datetime(2027, 6, 1, 16, 0, tzinfo=UTC), "Asia/Tokyo", "2027-06-01"),
    ],
)
def test_the_day_that_ended_is_the_one_before_the_announcement_was_due(
    due_at: datetime, zone: str, day: str, days: Callable[[], list[dict[str, Any]]], settings: Any
) -> None:
    settings.TIME_ZONE = zone
    with transaction.atomic():
        assert end_day(due_at=due_at) == day
    assert days() == [{"args": {"day": day}, "subject": f"day:{day}"}]


def test_an_announcement_that_comes_days_late_is_about_its_own_day(days: Callable[[], list[dict[str, Any]]]) -> None:
    task = current_app.tasks["boxoffice.end_day"]
    for day in (3, 4, 5):
        task.body(due_at=f"2027-05-0{day}T03:40:00+00:00")
    assert [job["args"]["day"] for job in days()] == ["2027-05-02", "2027-05-03", "2027-05-04"]


def test_its_money_is_compared_with_the_payment_providers() -> None:
    with transaction.atomic():
        end_day(due_at=datetime(2027, 3, 1, tzinfo=UTC))
    assert list(Job.objects.values_list("task", "args__day")) == [("boxoffice.reconcile_day", "2027-02-28")]


def test_the_schedule_announces_each_day_that_was_missed() -> None:
    (periodic,) = [periodic for periodic in SCHEDULE if periodic.task == "boxoffice.end_day"]
    assert periodic.catch_up == "all"
