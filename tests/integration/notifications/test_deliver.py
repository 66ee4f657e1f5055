"""Delivering through a real mail server that is slow, refuses, breaks off or is away."""

from __future__ import annotations

import logging
import socket
from email import message_from_string
from email.policy import default
from typing import Any

import pytest
from django.db import connection

from jobs.errors import PermanentError, TransientError
from notifications import transitions
from notifications.channels.email.smtp import BUSY_RETRY_AFTER
from notifications.content import Attachment
from notifications.deliver import deliver
from notifications.errors import (
    BadAddress,
    HeaderInjection,
    MailServerBusy,
    MailServerUnavailable,
    MessageRefused,
    UnknownNotification,
)
from notifications.failures import mark_notification_failed, reopen_failed_notification
from notifications.models import Notification
from tests.fixtures_notifications import MailServer, content


def row() -> Notification:
    return Notification.objects.get()


def test_a_delivered_mail_is_in_the_mailbox_and_its_row_says_sent(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    pdf = b"%PDF-1.7 \x00\xff\r\n.\r\nend"
    deliver(
        notification_id=queued_notification.pk,
        content=content(attachments=[Attachment("tickets.pdf", "application/pdf", pdf)]),
    )
    sent = row()
    assert (sent.status, sent.attempts, sent.last_error) == ("sent", 1, "")
    assert sent.sent_at is not None
    message = mail_server.only_message()
    assert message["message_id"] == sent.message_id
    assert message["to"] == ["ada@example.org"]
    assert message["to_header"] == "Ada Lovelace <ada@example.org>"
    assert (message["subject"], message["text"]) == ("News", "There is news.\r\n")
    assert "<b>news</b>" in message["html"]
    assert ["Auto-Submitted", "auto-generated"] in message["headers"]
    (attachment,) = message["attachments"]
    assert (attachment["name"], attachment["content_type"]) == ("tickets.pdf", "application/pdf")
    assert mail_server.fetch(attachment["url"]) == pdf


def test_delivering_again_sends_nothing(queued_notification: Notification, mail_server: MailServer) -> None:
    for _ in range(2):
        deliver(notification_id=queued_notification.pk, content=content())
    assert len(mail_server.messages()) == 1
    assert row().attempts == 1


def test_a_lost_answer_sends_the_mail_twice_with_one_message_id(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    mail_server.turn(lose_answers=1)
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())
    assert (row().status, row().attempts) == ("queued", 1)
    deliver(notification_id=queued_notification.pk, content=content())
    assert (row().status, row().attempts) == ("sent", 2)
    first, second = mail_server.messages()
    assert first["message_id"] == second["message_id"] == queued_notification.message_id


@pytest.mark.parametrize("stage", ["recipient", "data"])
def test_a_temporary_refusal_leaves_it_queued_with_the_reason_and_goes_out_next_time(
    queued_notification: Notification, mail_server: MailServer, stage: str
) -> None:
    mail_server.turn(fail_next=1, fail_code=451, fail_at=stage)
    with pytest.raises(MailServerUnavailable) as raised:
        deliver(notification_id=queued_notification.pk, content=content())
    assert isinstance(raised.value, TransientError)
    assert row().status == "queued"
    assert row().last_error == "The mail server answered 451: 4.0.0 <[address]> Try again later, please"
    deliver(notification_id=queued_notification.pk, content=content())
    assert (row().status, row().last_error, row().attempts) == ("sent", "", 2)
    assert len(mail_server.messages()) == 1


@pytest.mark.parametrize("stage", ["recipient", "data"])
def test_a_final_refusal_is_permanent_and_keeps_the_reason(
    queued_notification: Notification, mail_server: MailServer, stage: str
) -> None:
    mail_server.turn(fail_next=1, fail_code=550, fail_at=stage)
    with pytest.raises(MessageRefused) as raised:
        deliver(notification_id=queued_notification.pk, content=content())
    assert isinstance(raised.value, PermanentError)
    assert "550" in row().last_error
    assert row().status == "queued"  # what follows is the job's decision: its death marks it failed
    assert mail_server.messages() == []


def test_an_answer_that_postgresql_cannot_keep_is_noted_without_it(queued_notification: Notification) -> None:
    assert transitions.note_error(notification_id=queued_notification.pk, error="451 not\x00now \udcff")
    assert row().last_error == "451 not now ?"


def test_a_dead_job_marks_it_failed_and_a_replay_sends_it_under_the_same_message_id(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    assert mark_notification_failed(notification_id=queued_notification.pk)
    deliver(notification_id=queued_notification.pk, content=content())
    assert (row().status, mail_server.messages()) == ("failed", [])
    assert reopen_failed_notification(notification_id=queued_notification.pk)
    deliver(notification_id=queued_notification.pk, content=content())
    assert row().status == "sent"
    assert mail_server.only_message()["message_id"] == queued_notification.message_id


def test_a_sent_mail_is_not_marked_failed_by_a_late_death(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    deliver(notification_id=queued_notification.pk, content=content())
    assert not mark_notification_failed(notification_id=queued_notification.pk)
    assert row().status == "sent"


def test_a_server_that_is_away_is_tried_again(queued_notification: Notification, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())
    assert "could not be reached" in row().last_error


def test_a_server_that_hangs_frees_the_worker_after_the_time_out(
    queued_notification: Notification, mail_server: MailServer, settings: Any
) -> None:
    mail_server.turn(latency_ms=20_000)
    settings.EMAIL_TIMEOUT = 0.3
    with pytest.raises(MailServerUnavailable, match="timed out"):
        deliver(notification_id=queued_notification.pk, content=content())
    assert row().status == "queued"


def test_a_port_that_never_greets_frees_the_worker_after_the_time_out(
    queued_notification: Notification, settings: Any
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", listener.getsockname()[1]
        settings.EMAIL_TIMEOUT = 0.3
        with pytest.raises(MailServerUnavailable, match="timed out"):
            deliver(notification_id=queued_notification.pk, content=content())


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"to_name": "Ada\r\nBcc: eve@example.org"}, HeaderInjection),
        ({"subject": "News\nX-Spam: no"}, HeaderInjection),
        ({"to_address": "ada@example.org\r\nRCPT TO:<eve@example.org>"}, HeaderInjection),
        ({"to_address": "ada@example.org, eve@example.org"}, BadAddress),
    ],
)
def test_a_line_break_or_a_second_address_is_refused_and_nothing_is_sent(
    queued_notification: Notification, mail_server: MailServer, given: dict[str, str], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        deliver(notification_id=queued_notification.pk, content=content(**given))
    assert mail_server.messages() == []
    assert (row().attempts, row().last_error) == (1, refusal.__doc__)


def test_text_with_dots_and_long_lines_arrives_unchanged(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    text = ".\n..\nFrom here\n" + "x" * 5000 + "\nÄ 🎭\n"
    deliver(notification_id=queued_notification.pk, content=content(text=text, html="<p>" + "y" * 5000))
    message = mail_server.only_message()
    assert message["text"].replace("\r\n", "\n") == text
    assert "y" * 5000 in message["html"]


@pytest.mark.parametrize(
    ("address", "needs_utf8"), [("ada@example.org", False), ("ada@bücher.example", False), ("jörg@example.org", True)]
)
def test_letters_beyond_ascii_go_out_and_smtputf8_is_used_only_where_the_address_needs_it(
    queued_notification: Notification, mail_server: MailServer, address: str, needs_utf8: bool
) -> None:
    deliver(notification_id=queued_notification.pk, content=content(to_address=address, to_name='Jörg, "der" 🎭'))
    message = mail_server.only_message()
    raw = mail_server.fetch(message["raw_url"]).partition(b"From:")[2]
    assert raw.isascii() is not needs_utf8
    assert message["to"][0] == address.replace("bücher", "xn--bcher-kva")
    parsed = message_from_string("From:" + raw.decode(), policy=default)
    assert parsed["To"].addresses[0].display_name == 'Jörg, "der" 🎭'


def test_no_address_and_no_name_reach_the_log(
    queued_notification: Notification, mail_server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    mail_server.turn(fail_next=1, fail_code=550)
    with caplog.at_level(logging.DEBUG), pytest.raises(MessageRefused) as raised:
        deliver(notification_id=queued_notification.pk, content=content())
    told = caplog.text + str(raised.value) + repr(raised.value.__cause__) + repr(content())
    assert "Lovelace" not in caplog.text
    assert "ada@" not in caplog.text + str(raised.value) + repr(raised.value.__cause__)
    assert "There is" not in told
    assert raised.value.__suppress_context__


def test_a_server_that_takes_no_more_for_now_postpones_it_without_blame(
    queued_notification: Notification, mail_server: MailServer
) -> None:
    mail_server.turn(fail_next=1, fail_code=450, fail_text="4.7.28 Too many messages from you")
    with pytest.raises(MailServerBusy) as raised:
        deliver(notification_id=queued_notification.pk, content=content())
    assert raised.value.retry_after == BUSY_RETRY_AFTER
    assert row().status == "queued"


@pytest.mark.django_db(transaction=True)
def test_a_notification_that_does_not_exist_is_an_error_that_does_not_heal() -> None:
    with pytest.raises(UnknownNotification):
        deliver(notification_id=1, content=content())


def test_no_transaction_is_open_while_the_server_is_asked(
    queued_notification: Notification, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import notifications.channels.email.send as module

    seen: list[bool] = []
    really_send = module.send

    def send_and_look(message: Any) -> None:
        seen.append(connection.in_atomic_block)
        really_send(message)

    monkeypatch.setattr(module, "send", send_and_look)
    deliver(notification_id=queued_notification.pk, content=content())
    assert seen == [False]
