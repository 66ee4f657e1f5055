"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from celery import shared_task

from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_message import write_and_send
from jobs.record import record


@shared_task(name="boxoffice.tell_tickets_ready", has_call=False)
def tell_tickets_ready(*, order_id: int, **_event: object) -> None:
    """The tickets are stored: plan the mail that brings them."""
    with record():
        plan_tickets_mail(order_id=order_id)


@shared_task(
    name="boxoffice.send_message",
    on_dead="notifications.failures.mark_notification_failed",
    on_replay="notifications.failures.reopen_failed_notification",
)
def send_message(*, notification_id: int) -> None:
    """Write one planned message and hand it to the provider."""
    write_and_send(notification_id=notification_id)
