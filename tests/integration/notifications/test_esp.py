"""Delivering through the ESP's API, which is slow, refuses, breaks off or is away."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.headerregistry import HeaderRegistry
from typing import Any

import pytest
from django.utils import translation

from jobs.failures.classify import classify
from notifications.content import Attachment
from notifications.deliver import deliver
from notifications.errors import (
    BadAddress,
    HeaderInjection,
    MailServerBusy,
    MailServerUnavailable,
    MessageRefused,
    TooLarge,
)
from notifications.models import Notification
from tests.fixtures_esp import Esp
from tests.fixtures_notifications import content
from tests.ports import free_ports

pytestmark = pytest.mark.django_db(transaction=True)


def row() -> Notification:
    return Notification.objects.get()


def test_a_mail_through_the_api_has_our_message_id_and_all_its_parts(
    esp: Esp, queued_notification: Notification
) -> None:
    way_out = f"<https://boxoffice.example/mails/{'x' * 80}/end/>"
    deliver(
        notification_id=queued_notification.pk,
        content=content(
            attachments=[Attachment("tickets.pdf", "application/pdf", b"%PDF-1.7 \x00\xff")],
            headers={"List-Unsubscribe": way_out},
        ),
    )
    mail = esp.mailbox.only_message()
    headers = dict(mail["headers"])
    assert mail["message_id"] == queued_notification.message_id
    assert (mail["from"], mail["to_header"]) == (
        "BoxOffice <tickets@boxoffice.example>",
        "Ada Lovelace <ada@example.org>",
    )
    assert (mail["subject"], mail["text"].strip(), mail["html"].strip()) == (
        "News",
        "There is news.",
        "<p>There is <b>news</b>.</p>",
    )
    assert headers["List-Unsubscribe"] == way_out
    (stored,) = (esp.mailbox.folder / "new").iterdir()
    assert f"List-Unsubscribe: {way_out}".encode() in stored.read_bytes().splitlines()
    assert headers["Auto-Submitted"] == "auto-generated"
    assert esp.mailbox.fetch(mail["attachments"][0]["url"]) == b"%PDF-1.7 \x00\xff"
    assert (row().status, row().attempts) == ("sent", 1)
    assert row().provider_id


NAMES = (
    'Ada "Countess" Lovelace',
    "Lovelace, Ada; Countess",
    "Ada 🎟️ Lovelace",
    "עדה לאבלייס",
    "Ada (née Byron) <ada>",
    "Ångström \\ Ünal",
)


def test_a_name_and_a_subject_that_look_like_encoded_words_are_no_headers_there_either(
    esp: Esp, queued_notification: Notification
) -> None:
    typed = "=?utf-8?q?=0ABcc:_eve=40example.org?="
    deliver(notification_id=queued_notification.pk, content=content(to_name=typed, subject=typed))
    mail = esp.mailbox.only_message()
    assert mail["subject"].replace("\u2060", "") == typed
    assert mail["to"] == ["ada@example.org"]
    assert "Bcc" not in dict(mail["headers"])


def test_a_name_arrives_as_it_was_typed(esp: Esp, plan_news: Callable[..., Notification]) -> None:
    for number, name in enumerate(NAMES):
        deliver(notification_id=plan_news(occurrence=str(number)).pk, content=content(to_name=name))
        newest = esp.mailbox.messages()[0]
        (box,) = HeaderRegistry()("To", newest["to_header"]).addresses
        assert (box.display_name, box.addr_spec, newest["to"]) == (name, "ada@example.org", ["ada@example.org"])


def test_a_domain_beyond_ascii_goes_out_in_its_ascii_form(esp: Esp, queued_notification: Notification) -> None:
    deliver(notification_id=queued_notification.pk, content=content(to_address="ada@bücher.example"))
    assert esp.mailbox.only_message()["to"] == ["ada@xn--bcher-kva.example"]


def test_a_local_part_beyond_ascii_is_refused_by_the_esp_in_words_without_the_address(
    esp: Esp, queued_notification: Notification
) -> None:
    with pytest.raises(MessageRefused) as raised:
        deliver(notification_id=queued_notification.pk, content=content(to_address="jürgen@example.org"))
    assert "jürgen" not in str(raised.value)
    assert "422" in row().last_error


def test_a_line_break_in_any_field_is_refused_before_the_esp_hears_of_it(
    esp: Esp, queued_notification: Notification
) -> None:
    for given in (
        {"to_name": "Ada\r\nBcc: eve@example.org"},
        {"to_address": "ada@example.org\nBcc: eve@example.org"},
        {"subject": "News\x00"},
        {"headers": {"X-A": "b\r\nBcc: eve@example.org"}},
        {"headers": {"X-A\r\nBcc": "eve@example.org"}},
        {"attachments": [Attachment("a\nb.pdf", "application/pdf", b"x")]},
    ):
        with pytest.raises((HeaderInjection, BadAddress)):
            deliver(notification_id=queued_notification.pk, content=content(**given))
    assert esp.outcomes() == {}


def test_a_lost_answer_is_made_good_with_the_same_key_and_one_mail(esp: Esp, queued_notification: Notification) -> None:
    esp.turn(lose_answers=1)
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())
    assert row().status == "queued"
    deliver(notification_id=queued_notification.pk, content=content())
    assert esp.outcomes() == {"taken": 1, "again": 1}
    assert esp.mailbox.only_message()["message_id"] == queued_notification.message_id
    assert (row().status, row().attempts) == ("sent", 2)


def test_a_mail_whose_answer_was_lost_is_not_sent_again_though_its_text_changed_meanwhile(
    esp: Esp, queued_notification: Notification
) -> None:
    esp.turn(lose_answers=1)
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())
    deliver(notification_id=queued_notification.pk, content=content(text="Other news.\n"))
    assert esp.outcomes() == {"taken": 1, "409": 1}
    assert "There is news." in esp.mailbox.only_message()["text"]
    assert row().status == "sent"


def test_a_server_error_and_a_refused_key_are_tried_again(esp: Esp, queued_notification: Notification) -> None:
    for status in (500, 502, 503, 408, 401, 403, 404):
        esp.turn(fail_next=1, fail_code=status)
        with pytest.raises(MailServerUnavailable) as raised:
            deliver(notification_id=queued_notification.pk, content=content())
        assert classify(raised.value).name == "TRANSIENT"
        assert str(status) in row().last_error
    deliver(notification_id=queued_notification.pk, content=content())
    assert len(esp.mailbox.messages()) == 1


def test_a_wrong_key_waits_too(esp: Esp, queued_notification: Notification, settings: Any) -> None:
    settings.ANYMAIL = {**settings.ANYMAIL, "RESEND_API_KEY": "wrong"}
    with pytest.raises(MailServerUnavailable, match="API key is invalid"):
        deliver(notification_id=queued_notification.pk, content=content())


def test_what_the_esp_refuses_for_good_is_not_tried_again(esp: Esp, queued_notification: Notification) -> None:
    esp.turn(fail_next=1, fail_code=422)
    with pytest.raises(MessageRefused):
        deliver(notification_id=queued_notification.pk, content=content())
    assert row().status == "queued"  # the job decides


def test_a_429_postpones_by_what_it_says(esp: Esp, queued_notification: Notification) -> None:
    for seconds, waits in ((17, 17), (0, 1)):
        esp.turn(limit_next=1, retry_after_s=seconds)
        with pytest.raises(MailServerBusy) as raised:
            deliver(notification_id=queued_notification.pk, content=content())
        assert raised.value.retry_after == waits


def test_the_limit_is_a_sliding_second(esp: Esp, plan_news: Callable[..., Notification]) -> None:
    esp.turn(limit_per_second=2)
    rows = [plan_news(recipient=f"ada{number}@example.org") for number in range(4)]
    begun = time.monotonic()
    busy = 0
    for each in rows:
        while True:
            try:
                deliver(notification_id=each.pk, content=content(to_address=each.recipient))
                break
            except MailServerBusy:
                busy += 1
                assert time.monotonic() - begun < 20
    assert time.monotonic() - begun >= 1
    assert busy
    assert esp.outcomes()["taken"] == 4


def test_an_outage_is_waited_for_and_costs_no_mail(esp: Esp, queued_notification: Notification, settings: Any) -> None:
    settings.EMAIL_TIMEOUT = 0.3
    for outage in ("refuse", "error", "silence"):
        esp.turn(outage=outage)
        with pytest.raises(MailServerUnavailable):
            deliver(notification_id=queued_notification.pk, content=content())
    esp.turn(outage="none")
    settings.EMAIL_TIMEOUT = 5
    deliver(notification_id=queued_notification.pk, content=content())
    assert len(esp.mailbox.messages()) == 1


def test_a_spike_beyond_the_time_limit_is_an_error_that_heals_and_sends_once(
    esp: Esp, queued_notification: Notification, settings: Any
) -> None:
    settings.EMAIL_TIMEOUT = 0.3
    esp.turn(spike_ms=900, spike_rate=1)
    with pytest.raises(MailServerUnavailable, match="Timeout"):
        deliver(notification_id=queued_notification.pk, content=content())
    esp.turn(spike_rate=0)
    settings.EMAIL_TIMEOUT = 5
    deadline = time.monotonic() + 10
    while row().status != "sent":
        assert time.monotonic() < deadline
        try:
            deliver(notification_id=queued_notification.pk, content=content())
        except MailServerUnavailable:  # the first request is still being worked on
            continue
    assert len(esp.mailbox.messages()) == 1


def test_latency_is_waited_for(esp: Esp, queued_notification: Notification) -> None:
    esp.turn(latency_ms=300)
    begun = time.monotonic()
    deliver(notification_id=queued_notification.pk, content=content())
    assert time.monotonic() - begun >= 0.3


def test_an_error_rate_of_one_fails_each_request(esp: Esp, queued_notification: Notification) -> None:
    esp.turn(fail_rate=1)
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())


def test_nobody_there_is_waited_for(esp: Esp, queued_notification: Notification, settings: Any) -> None:
    settings.ANYMAIL = {**settings.ANYMAIL, "RESEND_API_URL": f"http://127.0.0.1:{free_ports(1)[0]}/"}
    with pytest.raises(MailServerUnavailable):
        deliver(notification_id=queued_notification.pk, content=content())


def test_attachments_that_are_too_large_become_a_link_in_the_readers_language(
    esp: Esp, plan_news: Callable[..., Notification], settings: Any
) -> None:
    settings.MAIL_ATTACHMENTS_MB = 1
    notification = plan_news(language="de")
    large = Attachment("tickets.pdf", "application/pdf", b"x" * (1024 * 1024 + 1))
    link = "https://boxoffice.example/orders/abc/?a=1&b=2"
    deliver(notification_id=notification.pk, content=content(attachments=[large], link_instead=link))
    mail = esp.mailbox.only_message()
    assert mail["attachments"] == []
    with translation.override("de"):
        words = translation.gettext("The files are too large for an e-mail. You find them here:")
    assert words != "The files are too large for an e-mail. You find them here:"
    assert mail["text"].split() == f"{words} {link} There is news.".split()
    assert 'href="https://boxoffice.example/orders/abc/?a=1&amp;b=2"' in mail["html"]


def test_attachments_that_are_too_large_and_nowhere_else_are_refused_before_anything_is_sent(
    esp: Esp, queued_notification: Notification, settings: Any
) -> None:
    settings.MAIL_ATTACHMENTS_MB = 1
    large = Attachment("tickets.pdf", "application/pdf", b"x" * (1024 * 1024 + 1))
    with pytest.raises(TooLarge):
        deliver(notification_id=queued_notification.pk, content=content(attachments=[large]))
    assert esp.outcomes() == {}


def test_what_django_itself_sends_goes_through_the_esp_too(esp: Esp) -> None:
    from django.core.mail import send_mail

    assert send_mail("Hello", "text", None, ["staff@example.org"]) == 1
    assert esp.mailbox.only_message()["subject"] == "Hello"
