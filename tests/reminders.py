"""Shows that begin soon, and the reminders of those who have tickets."""

from __future__ import annotations

from datetime import timedelta

from boxoffice.models import Order, Reminder
from boxoffice.plan_reminders import orders_to_remind, plan_page
from inventory.models import Show
from jobs.clock import DatabaseNow
from jobs.models import Job
from notifications.models import Notification

A_DAY = timedelta(hours=24)
A_SECOND = timedelta(seconds=1)


def move(show: Show, away: timedelta) -> None:
    """Let it begin so long from now."""
    Show.objects.filter(pk=show.pk).update(doors_at=DatabaseNow() - A_DAY, starts_at=DatabaseNow() + away)


def plan() -> int:
    """As often as a test likes: without the lock, which would keep a second run away for some seconds."""
    return sum(plan_page(order_ids=[order_id]) for order_id in orders_to_remind())


def assert_each_reminded_once(orders: list[Order]) -> None:
    about = sorted(order.subject for order in orders)
    assert sorted(Reminder.objects.values_list("order_id", flat=True)) == sorted(order.pk for order in orders)
    assert sorted(Notification.objects.values_list("subject", flat=True)) == about
    assert sorted(Job.objects.filter(task="boxoffice.send_bulk").values_list("subject", flat=True)) == about
