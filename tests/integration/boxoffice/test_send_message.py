"""The last step of the mail: through SMTP, with a real server at the other end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.db import transaction
from django.utils.module_loading import import_string

from boxoffice import tasks
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.models import Hold
from notifications.errors import MailServerUnavailable
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tickets.issue_tickets import issue_tickets

pytestmark = pytest.mark.django_db


class Letterbox:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        letter = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        return "250 OK"


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def letterbox(settings: Any, unused_port: int) -> Iterator[Letterbox]:
    """A mail server that the settings point to."""
    box = Letterbox()
    server = Controller(box, hostname="127.0.0.1", port=unused_port)
    server.start()
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", unused_port
    yield box
    server.stop()


@pytest.fixture
def planned_mail(order_with_tickets: Order) -> Notification:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    return Notification.objects.get()


def test_the_mail_with_the_tickets_arrives(letterbox: Letterbox, planned_mail: Notification) -> None:
    tasks.send_message.body(notification_id=planned_mail.pk)

    (letter,) = letterbox.letters
    assert letter["To"].addresses[0].addr_spec == "ada@example.org"
    assert letter["To"].addresses[0].display_name == "Ada Lovelace"
    assert letter["Subject"].startswith("Your tickets: ")
    assert letter["Message-ID"] == planned_mail.message_id
    text, html = letter.get_body(("plain",)), letter.get_body(("html",))
    assert text is not None
    assert html is not None
    assert "here are your 2 tickets" in text.get_content()
    assert "here are your 2 tickets" in html.get_content()
    attachment, calendar = letter.iter_attachments()
    assert attachment.get_content().startswith(b"%PDF")
    assert calendar.get_content_type() == "text/calendar"
    assert b"BEGIN:VEVENT" in calendar.get_payload(decode=True)
    planned_mail.refresh_from_db()
    assert planned_mail.status == "sent"


def test_a_mail_that_was_sent_is_not_sent_again(letterbox: Letterbox, planned_mail: Notification) -> None:
    for _ in range(2):
        tasks.send_message.body(notification_id=planned_mail.pk)

    assert len(letterbox.letters) == 1


def test_a_server_that_is_away_is_worth_another_attempt(
    planned_mail: Notification, settings: Any, unused_port: int
) -> None:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", unused_port

    with pytest.raises(MailServerUnavailable):
        tasks.send_message.body(notification_id=planned_mail.pk)
    planned_mail.refresh_from_db()
    assert planned_mail.status == "queued"


def test_when_the_job_dies_the_notification_has_failed(planned_mail: Notification) -> None:
    with transaction.atomic():
        import_string(tasks.send_message.on_dead)(notification_id=planned_mail.pk)

    planned_mail.refresh_from_db()
    assert planned_mail.status == "failed"


def test_a_name_that_looks_like_a_header_stays_a_name(
    letterbox: Letterbox, held_seats: Hold, ticket_files: Path
) -> None:
    order = confirm_order(order_id=place(held_seats, name='Bcc: all@example.org, "Ada" <x@example.org>').pk)
    issue_tickets(order_id=order.pk)
    with transaction.atomic():
        plan_tickets_mail(order_id=order.pk)
    tasks.send_message.body(notification_id=Notification.objects.get().pk)

    (letter,) = letterbox.letters
    assert [address.addr_spec for address in letter["To"].addresses] == ["ada@example.org"]
    assert letter["Bcc"] is None
