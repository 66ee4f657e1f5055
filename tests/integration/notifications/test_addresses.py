"""Whoever may buy is reached: what passes the checkout arrives at the address, and under the name, that were typed."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_string
from email.header import decode_header, make_header
from email.policy import compat32

import pytest

from boxoffice.contact import clean_contact
from notifications.deliver import deliver
from notifications.models import Notification
from tests.fixtures_notifications import MailServer, content

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = [
    ('Ada "Countess" Lovelace, Lady', "ada@example.org", "ada@example.org"),
    ("Jörg Müller", "jörg@bücher.example", "jörg@xn--bcher-kva.example"),
    ("नमस्ते", "नमस्ते@उदाहरण.परीक्षा", "नमस्ते@xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g"),
    ("سارة بنت عبد الله", "سارة@مثال.إختبار", "سارة@xn--mgbh0fb.xn--kgbechtv"),
    ("🎟️ <ada@example.org>; Bob", "o'hara+tag@straße.example", "o'hara+tag@xn--strae-oqa.example"),
    ("=?utf-8?q?=0ABcc:_eve=40example.org?= Ada", "ada@example.org", "ada@example.org"),
    ("ก" * 200, "a" * 64 + "@example.org", "a" * 64 + "@example.org"),
]


@pytest.mark.parametrize(("name", "email", "arrives_at"), PEOPLE)
def test_a_mail_arrives_at_the_address_and_under_the_name_that_were_typed(
    mail_server: MailServer, plan_news: Callable[..., Notification], name: str, email: str, arrives_at: str
) -> None:
    buyer = clean_contact(name=name, email=email)
    planned = plan_news(recipient=buyer.email)
    deliver(notification_id=planned.pk, content=content(to_name=buyer.name, to_address=planned.recipient))
    mail = mail_server.only_message()
    assert mail["to"] == [arrives_at]
    (file,) = (mail_server.folder / "new").iterdir()
    headers = message_from_string(file.read_bytes().decode(), policy=compat32)
    assert headers.keys().count("To") == 1
    assert "Bcc" not in headers
    # As mail programs do: encoded words that follow one another are one.
    shown = str(make_header(decode_header(headers["To"])))
    assert shown.replace("\u2060", "").replace("\\", "").strip('"').startswith(buyer.name)
