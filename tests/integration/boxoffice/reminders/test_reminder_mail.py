"""The mail that reminds of a show: right in every zone and language, and not sent when it is not so any more."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import translation

from boxoffice import tasks
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from boxoffice.order_address import address_of
from boxoffice.plan_reminders import plan_page
from boxoffice.support.story.tell_story import tell_story
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.unsubscribe_link import unsubscribe_address
from boxoffice.write_message import written
from inventory.models import Hold, Show, Venue
from jobs import transitions
from jobs.clock import DatabaseNow
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from notifications.content import EmailContent
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_notifications import MailServer
from tickets.models import Ticket
from tickets.transitions import mark_void

pytestmark = pytest.mark.django_db

STARTS = datetime(2032, 12, 11, 18, 30, tzinfo=UTC)


@pytest.fixture
def reminded_order(confirmed_order: Order) -> Order:
    """Its tickets are issued and its reminder is planned."""
    return remind(confirmed_order)


def remind(order: Order) -> Order:
    """Plan it as if the show began in 23 hours; then let it begin on a day that tests can name.

    The mail does not look at the file with the tickets, so there is none.
    """
    Ticket.objects.update(status="issued", issued_at=DatabaseNow())
    Show.objects.update(doors_at=DatabaseNow(), starts_at=DatabaseNow() + timedelta(hours=23))
    Order.objects.update(confirmed_at=DatabaseNow() - timedelta(days=2))
    assert plan_page(order_ids=[order.pk]) == 1
    Show.objects.update(
        title="The Tempest", subtitle="A comedy", doors_at=STARTS - timedelta(minutes=30), starts_at=STARTS
    )
    return order


def reminder() -> Notification:
    return Notification.objects.get(kind="reminder")


def mail() -> EmailContent:
    """The reminder as it would be sent now."""
    return written(notification=reminder())


def in_words(html: str) -> str:
    """What a reader of the HTML sees."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<body")[2]).split())


# --- what it says -----------------------------------------------------------------------------------------------------


def test_it_says_when_where_which_seats_and_when_the_doors_open(reminded_order: Order) -> None:
    assert mail().subject == "Reminder: The Tempest, Sat 11 Dec 2032"
    assert (mail().to_name, mail().to_address) == ("Ada Lovelace", "ada@example.org")
    for words in (mail().text, in_words(mail().html)):
        assert "Hello Ada Lovelace, a reminder: you have 2 tickets for" in words
        assert "The Tempest" in words
        assert "Sat 11 Dec 2032, 19:30, Berlin time" in words
        assert "Doors open at 19:00" in words
        assert "Kammertheater" in words
        assert "Ufer 1" in words
        assert "Stalls, row A, seat 1" in words
        assert "Stalls, row A, seat 2" in words
        assert reminded_order.code in words


def test_no_word_of_it_depends_on_the_day_on_which_it_is_read(reminded_order: Order) -> None:
    said = mail().subject + mail().text + in_words(mail().html)
    assert not re.search(r"tomorrow|today|tonight|hours", said, re.IGNORECASE)


def test_a_show_that_was_moved_meanwhile_is_told_with_its_new_time(reminded_order: Order) -> None:
    Show.objects.update(starts_at=STARTS + timedelta(hours=1))
    assert "Sat 11 Dec 2032, 20:30, Berlin time" in mail().text


@pytest.mark.parametrize(
    ("zone", "starts", "day", "words"),
    [
        ("Europe/Berlin", datetime(2032, 3, 28, 0, 30, tzinfo=UTC), "Sun 28 Mar 2032", "01:30, Berlin time"),
        ("Europe/Berlin", datetime(2032, 3, 28, 17, 30, tzinfo=UTC), "Sun 28 Mar 2032", "19:30, Berlin time"),
        ("Europe/Berlin", datetime(2032, 10, 31, 18, 30, tzinfo=UTC), "Sun 31 Oct 2032", "19:30, Berlin time"),
        ("America/New_York", datetime(2033, 1, 1, 4, 30, tzinfo=UTC), "Fri 31 Dec 2032", "23:30, New York time"),
    ],
)
def test_times_are_those_of_the_clock_on_the_venues_wall(
    reminded_order: Order, zone: str, starts: datetime, day: str, words: str
) -> None:
    Venue.objects.update(time_zone=zone)
    Show.objects.update(doors_at=starts, starts_at=starts)
    assert mail().subject.endswith(day)
    assert f"{day}, {words}" in mail().text


def test_it_leads_to_the_tickets_by_one_button_and_attaches_nothing(reminded_order: Order) -> None:
    address = address_of(reminded_order)
    ended_at = unsubscribe_address(kind="reminder", address=reminder().recipient)
    assert re.findall(r'href="([^"]+)"', mail().html) == [address, ended_at]
    assert f"\n{address}\n" in mail().text
    assert mail().attachments == ()
    assert not re.search(r"<script|src=|url\(", mail().html)


def test_the_mail_with_the_tickets_is_named_once_it_was_sent(reminded_order: Order) -> None:
    assert "in our mail" not in mail().text
    with transaction.atomic():
        plan_tickets_mail(order_id=reminded_order.pk)
    tickets_mail = Notification.objects.filter(kind="tickets_ready")
    tickets_mail.update(status="sent", sent_at=datetime(2032, 11, 1, 23, 30, tzinfo=UTC))
    for words in (mail().text, in_words(mail().html)):
        assert "The tickets are also in our mail of Tue 2 Nov 2032, as a PDF." in words
    # Its file shows a ticket that was given back since: it is no help at the door.
    given_back = Ticket.objects.filter(order_id=reminded_order.pk).latest("pk")
    mark_void(ticket_ids=[given_back.pk], reason="refunded")
    assert "in our mail" not in mail().text
    tickets_mail.update(status="bounced")
    assert "in our mail" not in mail().text


def test_tickets_that_are_still_being_made_are_not_promised(reminded_order: Order) -> None:
    assert "There you find the QR codes that let you in" in mail().text
    Ticket.objects.filter(pk=Ticket.objects.first().pk).update(status="failed")
    assert "QR code" not in mail().text
    assert "Stalls, row A, seat 1" in mail().text


def test_a_seat_that_was_given_back_is_not_named(reminded_order: Order) -> None:
    Order.objects.update(status="partly_refunded")
    Ticket.objects.filter(pk=Ticket.objects.first().pk).update(status="void", void_reason="refunded")
    for words in (mail().text, in_words(mail().html)):
        assert "you have a ticket for" in words
        assert "There you find the QR code that lets you in" in words
        assert "seat 1" not in words
        assert "Stalls, row A, seat 2" in words


def test_what_a_mailbox_shows_beside_the_subject_is_not_the_subject_again(reminded_order: Order) -> None:
    first_words = in_words(mail().html).partition(">")[2].strip()
    assert first_words.startswith("Doors open at 19:00. Sat 11 Dec 2032, 19:30, Berlin time, Kammertheater.")


def test_a_german_reader_gets_a_german_mail(held_seats: Hold) -> None:
    order = confirm_order(order_id=place(held_seats, language="de").pk)
    with transaction.atomic():
        plan_tickets_mail(order_id=order.pk)
    Notification.objects.update(status="sent", sent_at=datetime(2032, 11, 1, 12, tzinfo=UTC))
    remind(order)

    assert mail().subject == "Erinnerung: The Tempest, Sa., 11. Dez. 2032"
    assert 'lang="de"' in mail().html
    for words in (mail().text, in_words(mail().html)):
        assert "Hallo Ada Lovelace, zur Erinnerung: Sie haben 2 Tickets für" in words
        assert "Sa., 11. Dez. 2032, 19:30 Uhr, Ortszeit Berlin" in words
        assert "Einlass ab 19:00 Uhr" in words
        assert "Stalls, Reihe A, Platz 2" in words
        assert "Die Tickets liegen auch unserer Mail vom Mo., 1. Nov. 2032 bei, als PDF." in words
        assert "Wer den Link öffnet" in words
    said = in_words(mail().html) + mail().text
    assert not re.search(r"\b(the|your|mail of|show|keep)\b", said.replace("The Tempest", ""), re.IGNORECASE)


def test_markup_in_names_is_text(held_seats: Hold) -> None:
    order = confirm_order(order_id=place(held_seats, name='<img src=x onerror="alert(1)"> & Co').pk)
    remind(order)
    Show.objects.update(title="<script>alert(2)</script>\r\nBcc: all@example.org")

    assert "<img" not in mail().html
    assert "<script" not in mail().html
    assert '<img src=x onerror="alert(1)"> & Co' in mail().text
    assert mail().subject.startswith("Reminder: <script>alert(2)</script> Bcc: all@example.org, ")


# --- when it is not so any more ---------------------------------------------------------------------------------------


def send() -> Notification:
    """Run the job's body; return what became of the reminder."""
    tasks.send_message.body(notification_id=reminder().pk)
    return reminder()


def test_it_goes_out_as_any_mail_does(reminded_order: Order, mail_server: MailServer) -> None:
    assert send().status == "sent"
    assert mail_server.only_message()["subject"] == "Reminder: The Tempest, Sat 11 Dec 2032"


@pytest.mark.parametrize(
    ("show", "order", "reason"),
    [
        ({"status": "cancelled"}, {}, "the show is cancelled"),
        ({"status": "postponed"}, {}, "the show is postponed"),
        ({"status": "over"}, {}, "the show had begun"),
        ({"doors_at": DatabaseNow() - timedelta(days=1), "starts_at": DatabaseNow()}, {}, "the show had begun"),
        ({}, {"status": "refunded"}, "no ticket of the order is valid any more"),
        ({}, {"status": "cancelled"}, "no ticket of the order is valid any more"),
    ],
)
def test_what_changed_meanwhile_suppresses_it_and_no_mail_goes_out(
    reminded_order: Order, mail_server: MailServer, show: dict[str, Any], order: dict[str, Any], reason: str
) -> None:
    Order.objects.update(language="de", **order)
    Show.objects.update(**show)
    told = send()
    assert (told.status, told.last_error, told.sent_at, told.attempts) == ("suppressed", reason, None, 0)
    assert mail_server.messages() == []


@pytest.mark.django_db(transaction=True)
def test_the_job_of_a_suppressed_reminder_is_done(
    work: Callable[[int], Outcome], reminded_order: Order, mail_server: MailServer
) -> None:
    Show.objects.update(status="cancelled")
    job = Job.objects.get(task="boxoffice.send_bulk")
    engine_session("default")
    transitions.mark_due(using="default", queue=job.queue, window=1000, batch=1000)
    assert work(job.pk) is Outcome.SETTLED
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == ("done", 0, "")
    assert reminder().status == "suppressed"


def test_a_suppressed_reminder_stays_so_though_its_job_runs_again(
    reminded_order: Order, mail_server: MailServer
) -> None:
    Show.objects.update(status="postponed")
    assert send().status == "suppressed"
    Show.objects.update(status="scheduled")
    assert send().status == "suppressed"
    assert mail_server.messages() == []


def test_a_reminder_that_went_out_is_not_suppressed_afterwards(reminded_order: Order, mail_server: MailServer) -> None:
    assert send().status == "sent"
    Show.objects.update(status="cancelled")
    assert send().status == "sent"


def test_staff_read_why_none_was_sent_in_their_language_and_nobody_has_to_do_anything(
    reminded_order: Order, mail_server: MailServer
) -> None:
    Show.objects.update(status="cancelled")
    send()
    Job.objects.update(state="done", started_at=DatabaseNow(), finished_at=DatabaseNow())
    order = Order.objects.select_related("show__venue", "hold").get(pk=reminded_order.pk)
    for language, title, note in (
        ("en", "Reminder planned", "Not sent: the show is cancelled."),
        ("de", "Erinnerung geplant", "Nicht gesendet: die Vorstellung ist abgesagt."),
    ):
        with translation.override(language):
            story = tell_story(order=order)
            (entry,) = (entry for entry in story.timeline if entry.title == title)
            assert entry.notes == [note]
            assert entry.mood == "plain"
            assert not any(problem.needs_a_human for problem in story.problems)
