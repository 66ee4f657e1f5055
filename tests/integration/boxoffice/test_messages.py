"""The mail that brings the tickets: planned once, written when it is sent, right in every language and zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import transaction

from boxoffice import tasks
from boxoffice.confirm_order import confirm_order
from boxoffice.errors import DocumentMissing, OrderNotFound, UnknownMessage
from boxoffice.models import Order
from boxoffice.order_address import address_of
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_message import written
from inventory.models import Hold, Show, Venue
from jobs.errors import NotInTransaction
from jobs.models import Job
from notifications.content import EmailContent
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tickets.issue_tickets import issue_tickets
from tickets.selectors import document_of_order
from tickets.storage import open_document

pytestmark = pytest.mark.django_db


def mail_of(order: Order) -> EmailContent:
    """The mail as it would be sent now."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order.pk)
    return written(notification=Notification.objects.get(subject=order.subject))


def takes_place(starts: datetime, **more: str) -> None:
    """On a date of its own: its doors open half an hour before it, and it went on sale a month before."""
    Show.objects.update(
        starts_at=starts, doors_at=starts - timedelta(minutes=30), on_sale_at=starts - timedelta(days=30), **more
    )


def in_words(html: str) -> str:
    """What a reader of the HTML sees."""
    body = html.partition("<body")[2]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_issued_tickets_plan_one_mail_and_one_job(order_with_tickets: Order) -> None:
    for _ in range(2):
        tasks.tell_tickets_ready.body(order_id=order_with_tickets.pk, order_code=order_with_tickets.code)

    mail = Notification.objects.get()
    assert (mail.kind, mail.subject, mail.recipient, mail.language, mail.status) == (
        "tickets_ready",
        order_with_tickets.subject,
        "ada@example.org",
        "en",
        "queued",
    )
    job = Job.objects.get(task="boxoffice.send_message")
    assert job.args == {"notification_id": mail.pk}
    assert job.subject == order_with_tickets.subject


def test_a_mail_is_not_planned_outside_a_transaction(order_with_tickets: Order, transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        plan_tickets_mail(order_id=order_with_tickets.pk)


def test_an_unknown_order_plans_nothing(db: None) -> None:
    with pytest.raises(OrderNotFound):
        plan_tickets_mail(order_id=0)
    assert not Notification.objects.exists()


def test_the_mail_says_what_when_where_and_which_seats(order_with_tickets: Order) -> None:
    takes_place(datetime(2026, 12, 12, 18, 30, tzinfo=UTC), title="The Tempest", subtitle="A comedy")
    mail = mail_of(order_with_tickets)

    assert mail.subject == "Your tickets: The Tempest, Sat 12 Dec 2026"
    assert (mail.to_name, mail.to_address) == ("Ada Lovelace", "ada@example.org")
    for words in (mail.text, in_words(mail.html)):
        assert "Hello Ada Lovelace" in words
        assert "The Tempest" in words
        assert "A comedy" in words
        assert "Sat 12 Dec 2026, 19:30, Berlin time" in words
        assert "Kammertheater" in words
        assert "Ufer 1" in words
        assert "Stalls, row A, seat 1" in words
        assert "Stalls, row A, seat 2" in words
        assert "free" in words
        assert order_with_tickets.code in words


def test_the_mail_leads_to_the_order_by_one_button_and_the_text_by_its_address(
    order_with_tickets: Order, settings: object
) -> None:
    mail = mail_of(order_with_tickets)
    address = address_of(order_with_tickets)

    assert address.endswith(f"/orders/{order_with_tickets.token}/")
    assert re.findall(r'href="([^"]+)"', mail.html) == [address]
    assert f"\n{address}\n" in mail.text


def test_the_tickets_are_attached_as_they_were_stored(order_with_tickets: Order) -> None:
    attachment, _calendar = mail_of(order_with_tickets).attachments

    document = document_of_order(order_id=order_with_tickets.pk)
    assert document is not None
    with open_document(document=document) as stored:
        assert attachment.content == stored.read()
    assert attachment.content.startswith(b"%PDF")
    assert attachment.content_type == "application/pdf"
    assert attachment.name == f"tickets-{order_with_tickets.code}.pdf"


def test_the_html_needs_nothing_from_the_net_and_no_script(order_with_tickets: Order) -> None:
    html = mail_of(order_with_tickets).html

    assert "<script" not in html
    assert "src=" not in html
    assert "url(" not in html
    assert "max-width:600px" in html


def test_a_preheader_follows_the_subject_in_the_mailbox(order_with_tickets: Order) -> None:
    first_words = in_words(mail_of(order_with_tickets).html).partition(">")[2].strip()

    assert re.match(r"\w{3} \d+ \w{3} \d{4}, \d\d:\d\d, Berlin time, Kammertheater\.", first_words), first_words[:80]


def test_times_are_those_of_the_venue_also_across_midnight(order_with_tickets: Order) -> None:
    Venue.objects.update(time_zone="America/New_York")
    takes_place(datetime(2027, 1, 1, 4, 30, tzinfo=UTC))
    mail = mail_of(order_with_tickets)

    assert "Thu 31 Dec 2026, 23:30, New York time" in mail.text
    assert "Doors open at 23:00" in mail.text
    assert "31 Dec 2026" in mail.subject


def test_a_german_reader_gets_a_german_mail(held_seats: Hold, ticket_files: Path) -> None:
    order = confirm_order(order_id=place(held_seats, language="de").pk)
    issue_tickets(order_id=order.pk)
    takes_place(datetime(2026, 12, 12, 18, 30, tzinfo=UTC), title="Der Sturm")
    mail = mail_of(order)

    assert mail.subject == "Ihre Tickets: Der Sturm, Sa., 12. Dez. 2026"
    assert 'lang="de"' in mail.html
    for words in (mail.text, in_words(mail.html)):
        assert "Hallo Ada Lovelace" in words
        assert "Sa., 12. Dez. 2026, 19:30 Uhr, Ortszeit Berlin" in words
        assert "Einlass ab 19:00 Uhr" in words
        assert "Stalls, Reihe A, Platz 1" in words
        assert "kostenlos" in words
        assert "Keep this mail" not in words


def test_markup_in_names_is_text(held_seats: Hold, ticket_files: Path) -> None:
    order = confirm_order(order_id=place(held_seats, name='<img src=x onerror="alert(1)"> & Co').pk)
    issue_tickets(order_id=order.pk)
    Show.objects.update(title="<script>alert(2)</script>")
    mail = mail_of(order)

    assert "<img" not in mail.html
    assert "<script" not in mail.html
    assert '<img src=x onerror="alert(1)"> & Co' in mail.text
    assert mail.subject.startswith("Your tickets: <script>alert(2)</script>")


def test_a_line_break_in_a_title_does_not_reach_the_subject(order_with_tickets: Order) -> None:
    Show.objects.update(title="Night\r\nBcc: all@example.org")

    assert mail_of(order_with_tickets).subject.startswith("Your tickets: Night Bcc: all@example.org")


def test_one_ticket_is_spoken_of_in_the_singular(make_hold: Callable[..., Hold], ticket_files: Path) -> None:
    order = confirm_order(order_id=place(make_hold(seats=1)).pk)
    issue_tickets(order_id=order.pk)
    mail = mail_of(order)

    assert mail.subject.startswith("Your ticket: ")
    assert "here is your ticket" in mail.text
    assert "tickets" not in in_words(mail.html).replace("sees your tickets", "")


def test_the_mail_cannot_be_written_before_the_tickets_are_stored(confirmed_order: Order) -> None:
    with pytest.raises(DocumentMissing):
        mail_of(confirmed_order)


def test_a_kind_that_nobody_wrote_is_refused(order_with_tickets: Order) -> None:
    mail_of(order_with_tickets)
    Notification.objects.update(kind="horoscope")

    with pytest.raises(UnknownMessage):
        written(notification=Notification.objects.get())
