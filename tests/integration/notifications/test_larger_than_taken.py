"""A provider that takes less than the settings say gets the link instead of the files, and no human is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from notifications.content import Attachment
from notifications.deliver import deliver
from notifications.errors import LargerThanTaken, MailServerUnavailable, MessageRefused
from notifications.models import Notification
from tests.fixtures_esp import Esp
from tests.fixtures_notifications import MailServer, content

pytestmark = pytest.mark.django_db(transaction=True)

LINK = "https://boxoffice.example/orders/abc/"
MEGABYTE = 1024 * 1024


def file(megabytes: float = 0.1) -> Attachment:
    return Attachment("tickets.pdf", "application/pdf", b"%PDF" * int(megabytes * MEGABYTE / 4))


def send(notification: Notification, **given: Any) -> Notification:
    try:
        deliver(
            notification_id=notification.pk,
            content=content(**{"attachments": [file()], "link_instead": LINK, **given}),
        )
    finally:
        notification.refresh_from_db()
    return notification


def test_what_the_esp_finds_too_large_goes_out_with_the_link_under_the_same_message_id(
    esp: Esp, plan_news: Callable[..., Notification]
) -> None:
    esp.turn(largest_mb=1)
    sent = send(plan_news(language="de"), attachments=[file(1)])
    assert (sent.status, sent.attempts, sent.last_error) == ("sent", 1, "")
    assert esp.outcomes() == {"413": 1, "taken": 1}
    mail = esp.mailbox.only_message()
    assert (mail["attachments"], mail["message_id"]) == ([], sent.message_id)
    assert mail["text"].startswith("Die Dateien sind")
    assert LINK in mail["text"]
    assert f'href="{LINK}"' in mail["html"]


def test_a_lost_answer_to_the_smaller_one_is_made_good_and_sends_one_mail(
    esp: Esp, queued_notification: Notification
) -> None:
    esp.turn(largest_mb=1, lose_answers=1)
    with pytest.raises(MailServerUnavailable):
        send(queued_notification, attachments=[file(1)])
    assert send(queued_notification, attachments=[file(1)]).status == "sent"
    assert esp.outcomes() == {"413": 2, "taken": 1, "again": 1}
    assert esp.mailbox.only_message()["attachments"] == []


@pytest.mark.parametrize(
    ("code", "text"), [(552, "5.3.4 Message size exceeds fixed limit"), (554, "5.3.4 Too big"), (552, "Too much data")]
)
@pytest.mark.parametrize("stage", ["recipient", "data"])
def test_what_a_mail_server_finds_too_large_goes_out_with_the_link(
    mail_server: MailServer, queued_notification: Notification, code: int, text: str, stage: str
) -> None:
    mail_server.turn(fail_next=1, fail_code=code, fail_text=text, fail_at=stage)
    assert send(queued_notification).status == "sent"
    mail = mail_server.only_message()
    assert (mail["attachments"], mail["message_id"]) == ([], queued_notification.message_id)
    assert LINK in mail["text"]


def test_a_mail_server_that_says_at_once_how_much_it_takes_is_sent_the_link(
    mail_server: MailServer, queued_notification: Notification, settings: Any
) -> None:
    settings.MAIL_ATTACHMENTS_MB = 30  # 41 MB as a mail, and the server takes 35
    assert send(queued_notification, attachments=[file(30)]).status == "sent"
    assert mail_server.only_message()["attachments"] == []


def test_what_is_too_large_without_files_or_without_a_link_is_for_a_human(
    mail_server: MailServer, queued_notification: Notification
) -> None:
    for given in ({"attachments": []}, {"link_instead": ""}):
        mail_server.turn(fail_next=2, fail_code=552, fail_text="5.3.4 Too big")
        with pytest.raises(LargerThanTaken, match=r"552: 5\.3\.4 Too big"):
            send(queued_notification, **given)
        assert "5.3.4" in queued_notification.last_error
    mail_server.turn(fail_next=2, fail_code=552, fail_text="5.3.4 Too big")
    with pytest.raises(LargerThanTaken):  # the link alone is too large as well
        send(queued_notification)
    assert mail_server.messages() == []


def test_a_full_mailbox_is_not_a_matter_of_size(mail_server: MailServer, queued_notification: Notification) -> None:
    mail_server.turn(fail_next=1, fail_code=552, fail_text="5.2.2 Mailbox full")
    with pytest.raises(MessageRefused):
        send(queued_notification)
    assert mail_server.messages() == []
