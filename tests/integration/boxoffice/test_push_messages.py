"""What devices are told of an order: planned with the mail, written when it is sent, each once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from boxoffice.messages import pushed
from boxoffice.models import Order, OrderLine
from boxoffice.refunds.refund_order import refund_order
from boxoffice.tell_devices import tell_device
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_push import write_and_push
from jobs.models import Job
from notifications.channels.push.subscribe import unsubscribe
from notifications.models import Notification, PushSubscription
from tests.fixtures_push import PushService, subscribe_browser
from tests.fixtures_refunds import WHO_AND_WHY
from tests.processes import wait_for

Channel = Notification.Channel


@pytest.fixture
def listening(order_with_tickets: Order, push_service: PushService) -> list[PushSubscription]:
    """Two devices that want to hear of the order, one of them in German, and one of another order."""
    subscribe_browser(push_service, subject="order:OTHER")
    return [
        subscribe_browser(push_service, subject=order_with_tickets.subject, language=language)
        for language in ("en", "de")
    ]


def plan(order: Order) -> list[Notification]:
    with transaction.atomic():
        plan_tickets_mail(order_id=order.pk)
    return list(Notification.objects.filter(channel=Channel.PUSH).order_by("pk"))


@pytest.mark.django_db
def test_each_device_has_a_notification_and_a_job_of_its_own_and_planning_again_adds_none(
    order_with_tickets: Order, listening: list[PushSubscription]
) -> None:
    planned = plan(order_with_tickets)
    assert plan(order_with_tickets) == planned
    assert [(row.kind, row.recipient, row.language) for row in planned] == [
        ("tickets_ready", device.recipient, device.language) for device in listening
    ]
    jobs = Job.objects.filter(task="boxoffice.send_push").order_by("pk")
    assert [(job.args["notification_id"], job.destination, job.subject) for job in jobs] == [
        (row.pk, "push", order_with_tickets.subject) for row in planned
    ]
    assert Notification.objects.filter(channel=Channel.EMAIL).count() == 1


@pytest.mark.django_db
def test_a_device_reads_it_in_the_language_of_its_page(
    order_with_tickets: Order, listening: list[PushSubscription], push_service: PushService
) -> None:
    for row in plan(order_with_tickets):
        write_and_push(notification_id=row.pk)
    english, german = ([*push_service.told(device.endpoint)] for device in listening)
    assert [told["title"] for told in english] == ["Your 2 tickets are there"]
    assert [told["title"] for told in german] == ["Ihre 2 Tickets sind da"]
    assert order_with_tickets.show.title in english[0]["body"]
    assert english[0]["url"].endswith(f"/orders/{order_with_tickets.token}/")
    assert set(Notification.objects.filter(channel=Channel.PUSH).values_list("status", flat=True)) == {"sent"}


@pytest.mark.django_db
def test_nothing_is_told_of_tickets_that_were_all_given_back_meanwhile(
    order_with_tickets: Order, listening: list[PushSubscription], push_service: PushService
) -> None:
    planned = plan(order_with_tickets)
    OrderLine.objects.filter(order=order_with_tickets).update(refunded_at="2026-11-30T12:00Z")
    for row in planned:
        write_and_push(notification_id=row.pk)
    assert push_service.messages() == []
    assert {row.status for row in Notification.objects.filter(channel=Channel.PUSH)} == {"suppressed"}


@pytest.mark.django_db
def test_a_device_that_was_switched_off_meanwhile_is_told_nothing(
    order_with_tickets: Order, listening: list[PushSubscription], push_service: PushService
) -> None:
    planned = plan(order_with_tickets)
    unsubscribe(subject=order_with_tickets.subject, endpoint=listening[0].endpoint)
    for row in planned:
        write_and_push(notification_id=row.pk)
    assert [bool(push_service.messages(device.endpoint)) for device in listening] == [False, True]


@pytest.mark.django_db
@pytest.mark.parametrize("waits", [True, False])
def test_a_device_that_waits_for_tickets_which_came_meanwhile_is_told_and_one_that_has_seen_them_is_not(
    waits: bool, order_with_tickets: Order, push_service: PushService
) -> None:
    browser = push_service.new_browser()

    def switch_on() -> int:
        device = {"endpoint": browser["endpoint"], "language": "en", **browser["keys"]}
        tell_device(order=order_with_tickets, waits_for_tickets=waits, **device)
        return Notification.objects.filter(channel=Channel.PUSH).count()

    assert switch_on() == 0
    PushSubscription.objects.all().delete()
    plan(order_with_tickets)
    assert [switch_on(), switch_on()] == ([1, 1] if waits else [0, 0])


@pytest.mark.django_db(transaction=True)
def test_a_device_that_is_switched_on_while_the_tickets_are_told_is_told_once(
    order_with_tickets: Order, push_service: PushService
) -> None:
    browser = push_service.new_browser()
    device = {"endpoint": browser["endpoint"], "language": "en", **browser["keys"]}

    def switch_on() -> None:
        try:
            tell_device(order=order_with_tickets, waits_for_tickets=True, **device)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            plan_tickets_mail(order_id=order_with_tickets.pk)
            waiting = threads.submit(switch_on)
            wait_for(a_session_waits_for_an_advisory_lock, what="the device waits for the plan to be committed")
        waiting.result(timeout=20)
    assert Notification.objects.filter(channel=Channel.PUSH).count() == 1


def a_session_waits_for_an_advisory_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return cursor.fetchone() is not None


@pytest.mark.django_db
def test_seats_that_were_given_back_are_told_with_the_mail_about_them(
    order_with_tickets: Order, listening: list[PushSubscription], push_service: PushService, ticket_files: Path
) -> None:
    line = OrderLine.objects.filter(order=order_with_tickets).values_list("pk", flat=True)[0]
    refund_order(order_id=order_with_tickets.pk, line_ids=[line], **WHO_AND_WHY)
    rows = Notification.objects.filter(channel=Channel.PUSH, kind="refund_done").order_by("pk")
    mail = Notification.objects.get(channel=Channel.EMAIL, kind="refund_done")
    assert [(row.occurrence, row.recipient) for row in rows] == [
        (mail.occurrence, device.recipient) for device in listening
    ]
    write_and_push(notification_id=rows[0].pk)
    (told,) = push_service.told()
    assert order_with_tickets.show.title in told["title"]
    assert told["body"] == "Nothing was paid for it, so no money moves."


@pytest.mark.django_db
def test_without_a_key_nothing_is_planned_for_devices(
    order_with_tickets: Order, listening: list[PushSubscription], settings: Any
) -> None:
    settings.VAPID_PRIVATE_KEY = ""
    assert plan(order_with_tickets) == []


def test_every_kind_with_a_push_form_is_one_that_is_known() -> None:
    assert set(pushed.KINDS) == {"tickets_ready", "refund_done"}
