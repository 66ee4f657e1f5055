"""Everyone is told once, also where a query says who."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from jobs.errors import NotInTransaction
from jobs.models import Job
from notifications.models import Notification
from notifications.plan_many import plan_notifications
from tests.fixtures_inventory import all_at_once
from tests.fixtures_notifications import TASK

PEOPLE = """
    SELECT 'order:' || name AS subject, name || '@example.org' AS recipient, 'en' AS language
    FROM unnest(%(names)s::text[]) AS name
"""


def tell(*names: str, **options: Any) -> int:
    """Plan the news for people of these names, in a transaction of its own."""
    given = {"kind": "news", "recipients": PEOPLE, "params": {"names": list(names)}, "task": TASK, **options}
    with transaction.atomic():
        return plan_notifications(**given)


def same_as(notification: Notification, **different: Any) -> dict[str, Any]:
    """What the row of another one must hold that was planned alike."""
    own = {"id", "idempotency_key", "message_id", "created_at"}
    values = {field.attname: getattr(notification, field.attname) for field in Notification._meta.fields}
    return {**{name: value for name, value in values.items() if name not in own}, **different}


def test_the_rows_and_jobs_are_those_of_one_plan_for_each(
    plan_news: Callable[..., Notification | None], settings: Any
) -> None:
    settings.DEFAULT_FROM_EMAIL = "BoxOffice <tickets@boxoffice.example>"
    one = plan_news(subject="order:one", recipient="one@example.org")
    assert one is not None
    assert tell("b", "a", priority=8) == 2

    alone, *jobs = Job.objects.order_by("pk")
    for name, job in zip(["a", "b"], jobs, strict=True):
        told = Notification.objects.get(subject=f"order:{name}")
        assert same_as(told) == same_as(one, subject=f"order:{name}", recipient=f"{name}@example.org")
        assert told.message_id == f"<{told.idempotency_key}@boxoffice.example>"
        assert (job.args, job.subject, job.priority) == ({"notification_id": told.pk}, told.subject, 8)
        assert (job.task, job.queue, job.state, job.gate) == (alone.task, alone.queue, alone.state, alone.gate)
    assert len(set(Notification.objects.values_list("idempotency_key"))) == 3


def test_what_was_planned_before_or_comes_twice_is_planned_once(
    plan_news: Callable[..., Notification | None],
) -> None:
    plan_news(subject="order:a", recipient="a@example.org")
    assert tell("a", "b", "b") == 1
    assert tell("a", "b") == 0
    assert (Notification.objects.count(), Job.objects.count()) == (2, 2)
    assert tell("a", occurrence="2") == 1


def test_however_many_are_told_it_is_one_statement(transactional_db: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert tell(*(f"{number:04}" for number in range(1000))) == 1000
    assert len(queries) == 3  # BEGIN and COMMIT are two of them


def test_a_plan_outside_a_transaction_or_under_a_name_that_is_taken_is_refused(transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        plan_notifications(kind="news", recipients=PEOPLE, params={"names": ["a"]}, task=TASK)
    with pytest.raises(ValueError, match="kind"):
        tell(params={"names": ["a"], "kind": "other"})
    with pytest.raises(ValueError, match="queued"):
        tell("a", steps={"queued": "SELECT 1"})
    assert not Notification.objects.exists()


def test_a_plan_rolled_back_was_never_planned(transactional_db: None) -> None:
    with transaction.atomic():
        assert tell("a") == 1
        transaction.set_rollback(True)
    assert (Notification.objects.count(), Job.objects.count()) == (0, 0)
    assert tell("a") == 1


def test_many_who_plan_the_same_at_once_in_any_order_plan_it_once(transactional_db: None) -> None:
    names = [f"{number:03}" for number in range(200)]
    calls = [lambda: tell(*names), lambda: tell(*reversed(names))] * 3
    planned = all_at_once(calls, threads=6)
    assert sorted(planned, key=str) == [0, 0, 0, 0, 0, 200]
    assert (Notification.objects.count(), Job.objects.count()) == (200, 200)
