"""Everyone is told once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from jobs.errors import NotInTransaction
from jobs.models import Job
from notifications.models import Notification
from notifications.plan import plan_notification
from notifications.selectors import notifications_about
from tests.fixtures_notifications import TASK


def test_a_plan_is_a_queued_row_and_the_job_that_sends_it(queued_notification: Notification) -> None:
    stored = Notification.objects.get()
    assert stored == queued_notification
    assert (stored.status, stored.attempts, stored.last_error, stored.sent_at) == ("queued", 0, "", None)
    job = Job.objects.get()
    assert (job.task, job.args, job.subject) == (TASK, {"notification_id": stored.pk}, "order:ABC")
    assert list(notifications_about(subject="order:ABC")) == [stored]


def test_the_message_id_is_fixed_before_any_provider_hears_of_it(
    plan_news: Callable[..., Notification | None], settings
) -> None:
    settings.DEFAULT_FROM_EMAIL = "BoxOffice <tickets@boxoffice.example>"
    planned = plan_news()
    assert planned is not None
    assert Notification.objects.get().message_id == f"<{planned.idempotency_key}@boxoffice.example>"


def test_planning_the_same_again_inserts_and_enqueues_nothing(
    queued_notification: Notification, plan_news: Callable[..., Notification | None]
) -> None:
    assert plan_news() is None
    assert plan_news(language="de") is None
    assert (Notification.objects.count(), Job.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    "difference",
    [{"occurrence": "2"}, {"recipient": "alan@example.org"}, {"kind": "reminder"}, {"subject": "order:DEF"}],
)
def test_another_occurrence_recipient_kind_or_subject_is_told_too(
    queued_notification: Notification, plan_news: Callable[..., Notification | None], difference: dict[str, str]
) -> None:
    assert plan_news(**difference) is not None
    assert (Notification.objects.count(), Job.objects.count()) == (2, 2)


@pytest.mark.django_db(transaction=True)
def test_a_plan_outside_a_transaction_is_refused() -> None:
    with pytest.raises(NotInTransaction):
        plan_notification(kind="news", subject="x", recipient="a@b.org", language="en", task=TASK)
    assert not Notification.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_plan_rolled_back_was_never_planned(plan_news: Callable[..., Notification | None]) -> None:
    with transaction.atomic():
        assert plan_news() is not None
        transaction.set_rollback(True)
    assert not Notification.objects.exists()
    assert not Job.objects.exists()
    assert plan_news() is not None


def test_many_workers_planning_the_same_at_once_plan_it_once(plan_news: Callable[..., Notification | None]) -> None:
    together = Barrier(6)

    def plan(_number: int) -> Notification | None:
        try:
            together.wait(60)
            return plan_news()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        planned = [notification for notification in pool.map(plan, range(6)) if notification]
    assert len(planned) == 1
    assert (Notification.objects.count(), Job.objects.count()) == (1, 1)
