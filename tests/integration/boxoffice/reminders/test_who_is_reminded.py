"""Reminders: 24 hours before a show, to who bought in time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from boxoffice.models import Order, Reminder
from boxoffice.plan_reminders import PRIORITY, orders_to_remind, plan_page, plan_reminders
from inventory.models import Show, Venue
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_clock import MOVED_CLOCK
from tests.reminders import A_DAY, A_SECOND, assert_each_reminded_once, move, plan

pytestmark = pytest.mark.django_db


def test_a_reminder_is_a_row_a_queued_mail_and_the_job_that_sends_it(order: Order, transactional_db: None) -> None:
    assert plan_reminders() == 1

    assert Reminder.objects.filter(order=order, show=order.show, planned_at__lte=database_now()).exists()
    mail = Notification.objects.get()
    assert (mail.kind, mail.subject, mail.recipient, mail.language, mail.status) == (
        "reminder",
        order.subject,
        order.email,
        "de",
        "queued",
    )
    job = Job.objects.get()
    assert (job.task, job.queue, job.destination) == ("boxoffice.send_bulk", "bulk", "mail")
    assert (job.state, job.gate) == ("waiting", "ready")


def test_the_job_of_a_reminder_holds_no_personal_data(order: Order) -> None:
    plan()
    job = Job.objects.get()
    assert job.args == {"notification_id": Notification.objects.get().pk}
    assert job.subject == f"order:{order.code}"


def test_tickets_overtake_reminders(order: Order) -> None:
    plan()
    assert Job.objects.get().priority == PRIORITY > 5


@pytest.mark.parametrize(
    ("away", "expected"),
    [(A_DAY + A_SECOND, 0), (A_DAY, 1), (timedelta(hours=1), 1), (A_SECOND, 1), (timedelta(), 0), (-A_SECOND, 0)],
)
def test_it_is_planned_from_24_hours_before_the_show_until_it_begins(
    order: Order, away: timedelta, expected: int
) -> None:
    noon = datetime(2030, 1, 1, 12, tzinfo=UTC)
    Show.objects.update(doors_at=noon - A_DAY, starts_at=noon + away)
    stand_at(noon)
    assert plan() == expected


@pytest.mark.parametrize(
    ("zone", "starts"),
    [
        ("Europe/Berlin", (2027, 3, 28, 19, 30)),  # the day has 23 hours
        ("Europe/Berlin", (2026, 10, 25, 19, 30)),  # the day has 25 hours
        ("America/New_York", (2027, 3, 14, 0, 30)),  # the hour before midnight of the day before
        ("Europe/Berlin", (2026, 12, 12, 19, 30)),
    ],
)
@pytest.mark.parametrize("session_zone", ["UTC", "Europe/Berlin"])
def test_24_hours_pass_also_over_the_change_of_the_clocks(
    order: Order, zone: str, starts: tuple[int, ...], session_zone: str
) -> None:
    begins = datetime(*starts, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[arg-type,misc]
    Venue.objects.update(time_zone=zone)
    Show.objects.update(on_sale_at=begins - 9 * A_DAY, doors_at=begins, starts_at=begins)
    Order.objects.update(confirmed_at=begins - 2 * A_DAY)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL TIME ZONE '{session_zone}'")
    stand_at(begins - A_DAY - A_SECOND)
    assert plan() == 0
    stand_at(begins - A_DAY)
    assert plan() == 1


@pytest.mark.parametrize(("before", "expected"), [(A_DAY + A_SECOND, 1), (A_DAY, 0), (timedelta(hours=20), 0)])
def test_who_bought_within_the_last_24_hours_before_the_show_gets_none(
    order: Order, before: timedelta, expected: int
) -> None:
    starts = Show.objects.values_list("starts_at", flat=True).get()
    Order.objects.update(confirmed_at=starts - before)
    assert plan() == expected


@pytest.mark.parametrize("status", ["cancelled", "postponed", "over", "draft"])
def test_a_show_that_is_not_to_take_place_gets_none(order: Order, status: str) -> None:
    Show.objects.update(status=status)
    assert plan() == 0


@pytest.mark.parametrize(
    ("status", "expected"),
    [("confirmed", 1), ("partly_refunded", 1), ("refunded", 0), ("cancelled", 0), ("expired", 0)],
)
def test_only_orders_with_tickets_are_reminded(order: Order, status: str, expected: int) -> None:
    Order.objects.update(status=status, confirmed_at=None if status == "expired" else order.confirmed_at)
    assert plan() == expected


def test_an_order_that_is_refunded_while_others_are_planned_is_left_out(
    show: Show, make_order: Callable[..., Order]
) -> None:
    kept, refunded = make_order(show), make_order(show)
    due = orders_to_remind()
    assert due == [kept.pk, refunded.pk]
    Order.objects.filter(pk=refunded.pk).update(status="refunded")
    assert plan_page(order_ids=due) == 1
    assert_each_reminded_once([kept])


def test_two_orders_of_one_fan_are_two_reminders(show: Show, make_order: Callable[..., Order]) -> None:
    for _ in range(2):
        make_order(show, email="ada@example.org")
    assert plan() == 2


def test_the_next_show_comes_first(show: Show, other_show: Show, make_order: Callable[..., Order]) -> None:
    later, sooner = make_order(show), make_order(other_show)
    move(other_show, timedelta(hours=2))
    assert orders_to_remind() == [sooner.pk, later.pk]


def stand_at(instant: datetime) -> None:
    """Stop the database's clock there, for this test's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(re.sub(r"SELECT .* \$\$", f"SELECT '{instant.isoformat()}'::timestamptz $$", MOVED_CLOCK))
