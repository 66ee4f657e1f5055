"""Readers of bulk mail end it by one click, and get no more of its kind; tickets and money are told all the same."""

from __future__ import annotations

import base64
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from boxoffice import tasks
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.erase_sale_alerts import erase_sale_alerts
from boxoffice.models import Order, Reminder, SaleAlert
from boxoffice.plan_reminders import plan_page
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.unsubscribe_link import Reader, reader_of_token, unsubscribe_address, unsubscribe_token
from boxoffice.write_message import written
from inventory.models import Show
from jobs.clock import DatabaseNow
from jobs.models import Job
from notifications.models import Notification, Unsubscription
from notifications.transitions import mark_sent
from tests.fixtures_boxoffice import statements
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
    address = unsubscribe_address(kind="reminder", address="ada@example.org")
    assert content.headers == {
        "List-Unsubscribe": f"<{address}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    sealed = base64.urlsafe_b64decode(way_out(mail_to_be_ended).split("/")[2] + "==")
    assert b"ada" not in sealed
    assert b"example" not in sealed


def test_a_mail_that_is_written_again_names_the_same_way_out_or_the_provider_would_refuse_it(
    mail_to_be_ended: Notification,
) -> None:
    assert written(notification=mail_to_be_ended).headers == written(notification=mail_to_be_ended).headers


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


@pytest.mark.parametrize("token", ["1", "1:forged", "ä", "====", "A" * 5, "x" * 300, "AmxZL5cFNNta_-vJnhKJspN07F3p"])
def test_a_token_that_is_not_ours_ends_nothing(client: Client, mail_to_be_ended: Notification, token: str) -> None:
    assert client.get(f"/mails/{token}/end/").status_code == 404
    assert client.post(f"/mails/{token}/end/", ONE_CLICK).status_code == 404
    assert not Unsubscription.objects.exists()


def test_a_token_that_was_changed_in_any_place_is_not_ours_any_more() -> None:
    token = unsubscribe_token(kind="reminder", address="ada@example.org")
    assert reader_of_token(token=token) == Reader("reminder", "ada@example.org")
    for place, letter in enumerate(token[:-1]):
        changed = f"{token[:place]}{'A' if letter != 'A' else 'B'}{token[place + 1 :]}"
        assert reader_of_token(token=changed) is None


def test_a_token_names_nobody_or_a_kind_that_cannot_be_ended_in_vain() -> None:
    for kind, address in (("reminder", ""), ("tickets_ready", "ada@example.org")):
        assert reader_of_token(token=unsubscribe_token(kind=kind, address=address)) is None


def test_the_way_out_still_leads_there_when_the_secret_was_changed_since(settings: Any) -> None:
    token = unsubscribe_token(kind="reminder", address="ada@example.org")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new secret of at least 32 letters", [settings.SECRET_KEY]
    assert reader_of_token(token=token) == Reader("reminder", "ada@example.org")


def test_the_longest_address_leaves_its_way_out_on_one_line_that_mail_allows() -> None:
    longest = unsubscribe_address(kind="sale_opened", address=f"{'a' * 64}@{'ä' * 60}.{'ö' * 60}.{'b' * 60}.example")
    assert len(f"List-Unsubscribe: <{longest}>") <= 998


def test_mails_can_be_ended_when_no_row_of_ours_knows_the_mail_any_more(
    client: Client, mail_to_be_ended: Notification
) -> None:
    path = way_out(mail_to_be_ended)
    Notification.objects.all().delete()
    assert client.post(path, ONE_CLICK).status_code == 200
    assert Unsubscription.objects.values_list("address", "kind").get() == ("ada@example.org", "reminder")


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


@pytest.fixture
def ended_reader(client: Client, show_opening_tomorrow: Show) -> str:
    """Ada has asked, was told, and has ended such mails; the show opens tomorrow once more. The path in her mail."""
    ask(show_opening_tomorrow)
    mail = tell(show_opening_tomorrow, opening="1")
    path = way_out(mail)
    mark_sent(notification_id=mail.pk)
    assert client.post(path, ONE_CLICK).status_code == 200
    Show.objects.update(on_sale_at=DatabaseNow() + timedelta(days=1))
    return path


def ask(show: Show, email: str = "ada@example.org") -> None:
    ask_to_be_told(show_id=show.pk, email=email, language="en")


def tell(show: Show, *, opening: str) -> Notification:
    Show.objects.update(on_sale_at=DatabaseNow())
    with transaction.atomic():
        tell_sale_opened(show_id=show.pk, opening=opening)
    return Notification.objects.latest("pk")


def test_ending_mails_about_sales_erases_the_address_at_every_show(ended_reader: str) -> None:
    assert not SaleAlert.objects.exists()
    assert Unsubscription.objects.values_list("kind", flat=True).get() == "sale_opened"


def test_whoever_types_the_address_at_a_show_does_not_undo_what_its_reader_has_ended(
    ended_reader: str, show_opening_tomorrow: Show
) -> None:
    for typed in ("ada@example.org", "ADA@Example.org"):
        stranger = Client()
        assert stranger.post(f"/shows/{show_opening_tomorrow.slug}/tell-me/", {"email": typed}).status_code == 303
    assert Unsubscription.objects.exists()
    told = tell(show_opening_tomorrow, opening="2")
    assert (told.status, told.last_error) == ("suppressed", ENDED)


def test_nobody_learns_by_asking_who_has_ended_mails(ended_reader: str, show_opening_tomorrow: Show) -> None:
    seen = []
    for email in ("ada@example.org", "eva@example.org"):
        browser = Client()
        with statements() as asked:
            answer = browser.post(f"/shows/{show_opening_tomorrow.slug}/tell-me/", {"email": email})
        page = browser.get(answer["Location"]).content.decode().replace(email, "")
        seen.append((answer.status_code, answer["Location"], len(asked), re.sub(r'value="\w+"', "", page)))
    assert seen[0] == seen[1]
    assert "open the link in one of them and let them come again" in seen[0][3]


def test_the_link_in_a_former_mail_alone_lifts_the_end_and_what_was_asked_meanwhile_is_told(
    client: Client, ended_reader: str, show_opening_tomorrow: Show
) -> None:
    erase_sale_alerts()
    ask(show_opening_tomorrow)
    page = client.post(ended_reader, {"again": "1"}).content.decode()
    assert "Mails about sales may come again" in page
    assert "No show has your address from before" in page
    assert not Unsubscription.objects.exists()
    assert tell(show_opening_tomorrow, opening="2").status == "queued"


def test_taking_mails_up_again_says_that_the_alerts_are_gone(
    client: Client, ended_reader: str, show_opening_tomorrow: Show
) -> None:
    page = client.post(ended_reader, {"again": "1"}, headers={"Accept-Language": "de"}).content.decode()
    assert "Von früher hat keine Vorstellung mehr Ihre Adresse" in page
    assert not SaleAlert.objects.exists()


def test_who_ended_such_mails_and_asked_all_the_same_is_kept_no_longer_than_others(
    ended_reader: str, show_opening_tomorrow: Show
) -> None:
    ask(show_opening_tomorrow)
    assert erase_sale_alerts() == 0
    assert tell(show_opening_tomorrow, opening="2").status == "suppressed"
    assert erase_sale_alerts() == 1
    assert not Notification.objects.filter(recipient__contains="@").exists()


def test_the_mail_about_a_sale_has_the_way_out_in_its_words_as_well(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    mail = tell(show_opening_tomorrow, opening="1")
    for text in (written(notification=mail).text, written(notification=mail).html):
        assert way_out(mail) in text
        assert "End these mails, or let them come again" in text
