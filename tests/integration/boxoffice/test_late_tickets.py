"""A fan who has paid and sees no tickets hears that we are on it: once, in time, and not when they have come."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from boxoffice import tasks
from boxoffice.correct_address import correct_address
from boxoffice.models import Order
from boxoffice.order_address import address_of
from boxoffice.tell_tickets_late import LATE_AFTER, tell_tickets_late
from boxoffice.write_message import written
from inventory.models import Show
from jobs.clock import DatabaseNow
from jobs.models import Job
from notifications.models import Notification
from notifications.plan import plan_notification
from tests.fixtures_notifications import MailServer
from tests.query_plans import plan_for_a_large_table
from tickets.failures import mark_tickets_failed
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting_order(confirmed_order: Order) -> Order:
    """Confirmed for longer than tickets may take; none is issued."""
    Ticket.objects.update(created_at=DatabaseNow() - LATE_AFTER)
    return confirmed_order


def look() -> int:
    with transaction.atomic():
        return tell_tickets_late()


def late() -> Notification:
    return Notification.objects.get(kind="tickets_late")


def test_whoever_waits_for_too_long_is_told_once_however_often_somebody_looks(waiting_order: Order) -> None:
    assert [look() for _ in range(3)] == [1, 0, 0]
    assert (late().recipient, late().status, late().subject) == ("ada@example.org", "queued", waiting_order.subject)
    assert Job.objects.filter(task="boxoffice.send_message", args={"notification_id": late().pk}).count() == 1


def test_nobody_is_told_before_that(confirmed_order: Order) -> None:
    Ticket.objects.update(created_at=DatabaseNow() - LATE_AFTER + timedelta(seconds=5))
    assert look() == 0


def test_whose_tickets_cannot_be_made_is_told_at_once(confirmed_order: Order) -> None:
    with transaction.atomic():
        mark_tickets_failed(order_id=confirmed_order.pk)
    assert look() == 1


def test_the_mail_says_that_the_seats_are_safe_and_leads_to_the_order(waiting_order: Order) -> None:
    look()
    mail = written(notification=late())
    assert mail.subject.startswith("Your tickets take a little longer: ")
    assert "the seats are yours, and your tickets take longer than usual. We are on it" in mail.text
    assert "Stalls, row A, seat 2" in mail.text
    assert f"\n{address_of(waiting_order)}\n" in mail.text
    assert not mail.headers


def test_tickets_that_came_meanwhile_suppress_it_and_no_mail_goes_out(
    waiting_order: Order, mail_server: MailServer
) -> None:
    look()
    Ticket.objects.update(status="issued", issued_at=DatabaseNow())
    tasks.send_message.body(notification_id=late().pk)
    assert (late().status, late().last_error) == ("suppressed", "the tickets were issued meanwhile")
    assert mail_server.messages() == []


def test_it_goes_out_as_any_mail_does(waiting_order: Order, mail_server: MailServer) -> None:
    look()
    tasks.send_message.body(notification_id=late().pk)
    assert late().status == "sent"
    assert mail_server.only_message()["subject"].startswith("Your tickets take a little longer")


@pytest.mark.parametrize(
    ("order", "show", "ticket"),
    [
        ({}, {}, {"status": "issued", "issued_at": DatabaseNow()}),
        ({}, {}, {"status": "void", "void_reason": "refunded"}),
        ({"status": "refunded"}, {}, {}),
        ({}, {}, {"created_at": DatabaseNow() - timedelta(days=4)}),
        ({}, {"status": "cancelled"}, {}),
    ],
)
def test_whoever_waits_for_nothing_is_told_nothing(
    waiting_order: Order, order: dict[str, Any], show: dict[str, Any], ticket: dict[str, Any]
) -> None:
    for model, change in ((Order, order), (Show, show), (Ticket, ticket)):
        if change:
            model.objects.update(**change)
    assert look() == 0


def test_a_corrected_address_is_no_reason_to_tell_it_again(waiting_order: Order) -> None:
    look()
    Notification.objects.update(status="sent", sent_at=DatabaseNow())
    correct_address(order_id=waiting_order.pk, email="ada@example.com", by="operator", reason="typo")
    assert look() == 0


def test_a_push_message_that_told_of_tickets_does_not_stand_for_the_mail(waiting_order: Order) -> None:
    with transaction.atomic():
        plan_notification(
            kind="tickets_ready",
            subject=waiting_order.subject,
            recipient="push:1",
            channel=Notification.Channel.PUSH,
            language="en",
            task="boxoffice.send_push",
        )
    assert look() == 1


def test_tickets_that_are_not_made_are_found_by_their_own_index_among_all_that_there_are(
    waiting_order: Order,
) -> None:
    with CaptureQueriesContext(connection) as queries:
        look()
    (statement,) = [query["sql"] for query in queries if "ticket" in query["sql"] and "INSERT" in query["sql"]]
    plan = plan_for_a_large_table(statement, table="tickets_ticket")
    assert plan.count("ticket_not_made") == 2
    assert "ticket_by_order" not in plan
