"""Readers of bulk mail end it by one click, and get no more of its kind; tickets and money are told all the same."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client

from boxoffice import tasks
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.models import Order, Reminder, SaleAlert
from boxoffice.plan_reminders import plan_page
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.unsubscribe_link import unsubscribe_address, unsubscribe_token
from boxoffice.write_message import written
from inventory.models import Show
from jobs.clock import DatabaseNow
from jobs.models import Job
from notifications.models import Notification, Unsubscription
from tests.fixtures_notifications import MailServer
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
ENDED = "its reader wants no more mails of this kind"


@pytest.fixture
def mail_to_be_ended(confirmed_order: Order) -> Notification:
    """A reminder that is planned, of an order whose tickets are issued."""
    Ticket.objects.update(status="issued", issued_at=DatabaseNow())
    Show.objects.update(doors_at=DatabaseNow(), starts_at=DatabaseNow() + timedelta(hours=23))
    Order.objects.update(confirmed_at=DatabaseNow() - timedelta(days=2))
    assert plan_page(order_ids=[confirmed_order.pk]) == 1
    return Notification.objects.get(kind="reminder")


def way_out(mail: Notification) -> str:
    """The path in the mail's header."""
    address = re.fullmatch(r"<(.*)>", written(notification=mail).headers["List-Unsubscribe"])
    assert address is not None
    return "/" + address[1].split("/", 3)[3]


def test_a_bulk_mail_says_how_to_end_it_in_its_headers_and_names_nobody(mail_to_be_ended: Notification) -> None:
    content = written(notification=mail_to_be_ended)
    assert content.headers == {
        "List-Unsubscribe": f"<{unsubscribe_address(notification_id=mail_to_be_ended.pk)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    assert "ada" not in content.headers["List-Unsubscribe"]


def test_a_mail_that_somebody_waits_for_has_no_such_headers(order_with_tickets: Order) -> None:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    assert not written(notification=Notification.objects.get()).headers


def test_one_click_of_a_mail_program_needs_no_cookie_and_ends_the_mails_however_often(
    mail_to_be_ended: Notification,
) -> None:
    program = Client(enforce_csrf_checks=True)
    for _ in range(2):
        answer = program.post(way_out(mail_to_be_ended), ONE_CLICK)
        assert (answer.status_code, answer.content) == (200, b"")
    assert Unsubscription.objects.values_list("address", "kind").get() == ("ada@example.org", "reminder")


def test_a_look_changes_nothing_and_the_button_needs_the_page(mail_to_be_ended: Notification) -> None:
    browser = Client(enforce_csrf_checks=True)
    page = browser.get(way_out(mail_to_be_ended))
    assert "No more reminders?" in page.content.decode()
    assert "ada@" not in page.content.decode()
    assert page["Cache-Control"].count("no-store") == 1
    assert browser.post(way_out(mail_to_be_ended)).status_code == 403
    assert not Unsubscription.objects.exists()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    assert token is not None
    ended = browser.post(way_out(mail_to_be_ended), {"csrfmiddlewaretoken": token[1]}).content.decode()
    assert "<h1>No more reminders</h1>" in ended
    assert Unsubscription.objects.exists()
    again = browser.post(way_out(mail_to_be_ended), {"csrfmiddlewaretoken": token[1], "again": "1"}).content.decode()
    assert "You get reminders again" in again
    assert not Unsubscription.objects.exists()


@pytest.mark.parametrize("token", ["1", "1:forged", "0:AmxZL5cFNNta_-vJnhKJspN07F3p6XNk_tXim8174C0", "x" * 300])
def test_a_token_that_is_not_ours_ends_nothing(client: Client, mail_to_be_ended: Notification, token: str) -> None:
    assert client.get(f"/mails/{token}/end/").status_code == 404
    assert client.post(f"/mails/{token}/end/", ONE_CLICK).status_code == 404
    assert not Unsubscription.objects.exists()


def test_the_number_of_another_mail_does_not_fit_the_proof_of_this_one(
    client: Client, mail_to_be_ended: Notification
) -> None:
    proof = unsubscribe_token(notification_id=mail_to_be_ended.pk).partition(":")[2]
    assert client.post(f"/mails/{mail_to_be_ended.pk + 1}:{proof}/end/", ONE_CLICK).status_code == 404


def test_what_was_planned_before_is_not_sent_and_says_why(
    client: Client, mail_to_be_ended: Notification, mail_server: MailServer
) -> None:
    client.post(way_out(mail_to_be_ended), ONE_CLICK)
    tasks.send_message.body(notification_id=mail_to_be_ended.pk)
    mail_to_be_ended.refresh_from_db()
    assert (mail_to_be_ended.status, mail_to_be_ended.last_error) == ("suppressed", ENDED)
    assert mail_server.messages() == []


def test_what_is_planned_afterwards_is_suppressed_at_once_and_has_no_job(
    client: Client, mail_to_be_ended: Notification
) -> None:
    client.post(way_out(mail_to_be_ended), ONE_CLICK)
    Notification.objects.all().delete()
    Job.objects.all().delete()
    Reminder.objects.all().delete()
    Order.objects.update(email="Ada@example.org")
    assert plan_page(order_ids=[Order.objects.get().pk]) == 0
    assert Notification.objects.values_list("status", "last_error").get() == ("suppressed", ENDED)
    assert not Job.objects.filter(subject__startswith="order:", task__startswith="boxoffice.send").exists()


def test_the_tickets_are_mailed_all_the_same(order_with_tickets: Order, mail_server: MailServer) -> None:
    Unsubscription.objects.create(address="ada@example.org", kind="reminder")
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    tasks.send_message.body(notification_id=Notification.objects.get().pk)
    assert Notification.objects.get().status == "sent"


def test_ending_mails_about_sales_erases_the_address_everywhere_and_asking_again_is_heard(
    client: Client, show_opening_tomorrow: Show
) -> None:
    def ask() -> None:
        ask_to_be_told(show_id=show_opening_tomorrow.pk, email="ada@example.org", language="en")

    ask()
    Show.objects.update(on_sale_at=DatabaseNow())
    with transaction.atomic():
        assert tell_sale_opened(show_id=show_opening_tomorrow.pk, opening="1") == 1
    mail = Notification.objects.get()
    assert client.post(way_out(mail), ONE_CLICK).status_code == 200
    assert not SaleAlert.objects.exists()
    assert Unsubscription.objects.values_list("kind", flat=True).get() == "sale_opened"
    Show.objects.update(on_sale_at=DatabaseNow() + timedelta(days=1))
    ask()
    assert not Unsubscription.objects.exists()
