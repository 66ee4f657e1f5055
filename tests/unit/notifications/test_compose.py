"""The mail as bytes: what is sent is what was meant, and no text becomes a header."""

from __future__ import annotations

from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import compat32, default
from email.utils import parseaddr
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.channels.email.compose import POLICY, compose, mailbox
from notifications.content import Attachment
from notifications.errors import BadAddress, HeaderInjection
from tests.fixtures_notifications import content

MESSAGE_ID = "<0b8e3a52-4f43-4c5c-a0a3-7a8a3a1f3c11@boxoffice.example>"
HEADERS = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"}


def sent(**given: Any) -> bytes:
    return compose(content=content(**given), message_id=MESSAGE_ID).as_bytes()


def decoded(raw: bytes, name: str) -> str:
    """A header as a mail client shows it: unfolded, its encoded words decoded."""
    value = message_from_bytes(raw, policy=compat32)[name]
    return str(make_header(decode_header("".join(str(value).splitlines()))))


def test_a_mail_has_its_headers_text_html_and_attachments() -> None:
    pdf = b"%PDF-1.7 \x00\xff\r\n.\r\n"
    message = message_from_bytes(sent(attachments=[Attachment("tickets.pdf", "application/pdf", pdf)]), policy=default)
    assert set(message.keys()) == HEADERS
    assert message["Message-ID"] == MESSAGE_ID
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime.utcoffset().total_seconds() == 0
    assert message["Date"].endswith("+0000")
    assert message.get_content_type() == "multipart/mixed"
    alternative, attachment = message.iter_parts()
    assert [part.get_content_type() for part in alternative.iter_parts()] == ["text/plain", "text/html"]
    assert message.get_body(("plain",)).get_content().split() == ["There", "is", "news."]
    assert "<b>news</b>" in message.get_body(("html",)).get_content()
    assert (attachment.get_filename(), attachment.get_content_type()) == ("tickets.pdf", "application/pdf")
    assert attachment.get_content() == pdf


@pytest.mark.parametrize(
    "name",
    [
        "Ada Lovelace",
        'Ada "the first" Lovelace',
        "Lovelace, Ada",
        'Jörg, "der" Müller (privat) <x@y>',
        "Ángela Müller-Lüdenscheidt",
        "محمد علي",
        "דוד לוי",
        "山田太郎",
        "Zoë 🎭 Fan",
        "ที่นั่ง",
        "x" * 200,
        "Ünïcödé " * 25,
        "",
    ],
)
def test_a_name_arrives_as_it_was_typed_whatever_is_in_it(name: str) -> None:
    raw = sent(to_name=name)
    assert raw.isascii()
    shown, address = parseaddr(decoded(raw, "To")) if '"' not in name else (None, None)
    header = message_from_bytes(raw, policy=default)["To"]
    (to,) = header.addresses
    assert to.addr_spec == "ada@example.org"
    assert "".join(to.display_name.split()) == "".join(name.split())
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998
    if shown is not None and "," not in name and "<" not in name:
        assert (" ".join(shown.split()), address) == (" ".join(name.split()), "ada@example.org")


# What readers of headers decode, in pieces; ``email`` decodes it even as it writes.
PIECES = (
    "=?",
    "?=",
    "=?utf-8?q?",
    "=?utf-8?b?",
    "=0A",
    "=0D=0ABcc:",
    "Cg==",
    "_eve=40example.org",
    '"',
    "<",
    " ",
    "a@b",
)
TYPED = st.text(max_size=120) | st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)


@given(name=TYPED, subject=TYPED)
def test_no_name_and_no_subject_ever_makes_another_header(name: str, subject: str) -> None:
    try:
        raw = sent(to_name=name, subject=subject)
    except HeaderInjection:
        return
    message = message_from_bytes(raw, policy=default)
    assert set(message.keys()) == HEADERS
    assert [address.addr_spec for address in message["To"].addresses] == ["ada@example.org"]
    assert message.get_body(("plain",)).get_content().split() == ["There", "is", "news."]


ENCODED = "=?utf-8?q?Ada=0ABcc:_eve=40example.org?="


def test_what_looks_like_an_encoded_word_is_read_as_it_was_typed() -> None:
    raw = sent(to_name=f"Ada {ENCODED}", subject=f"News of {ENCODED}")
    assert set(message_from_bytes(raw, policy=default).keys()) == HEADERS
    for header, typed in (("To", f"Ada {ENCODED} <ada@example.org>"), ("Subject", f"News of {ENCODED}")):
        assert decoded(raw, header).replace("\u2060", "") == typed


def test_what_looks_like_an_encoded_word_is_no_address_and_no_other_header() -> None:
    with pytest.raises(BadAddress):
        sent(to_address="=?utf-8?q?=0Abcc=3aeve?=@example.org")
    with pytest.raises(HeaderInjection):
        sent(attachments=[Attachment(ENCODED, "text/plain", b"")])
    with pytest.raises(HeaderInjection):
        sent(headers={"X-Of-Somebody": ENCODED})
    assert b"https://boxoffice.example/?a=?" not in sent(link_instead="https://boxoffice.example/?a=?"), "no header"


@pytest.mark.parametrize(
    "character", ["\r", "\n", "\r\n", "\x00", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\u2028", "\u2029"]
)
@pytest.mark.parametrize("field", ["to_name", "to_address", "subject", "attachment name", "attachment type"])
def test_a_line_break_in_any_field_is_refused_before_there_is_a_message(field: str, character: str) -> None:
    text = f"a{character}Bcc: eve@example.org"
    given: dict[str, Any] = {field: text}
    if field == "attachment name":
        given = {"attachments": [Attachment(text, "text/plain", b"")]}
    if field == "attachment type":
        given = {"attachments": [Attachment("a", f"text/{text}", b"")]}
    with pytest.raises(HeaderInjection, match="line break"):
        sent(**given)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ada",
        "@example.org",
        "ada@",
        "ada@-example.org",
        "ada@exa mple.org",
        "ada@example..org",
        "a b@example.org",
        "ada@example.org, eve@example.org",
        "<ada@example.org>",
        "ada@[127.0.0.1]",
        ".ada@example.org",
        "ada@" + "a" * 64 + ".org",
        "a" * 65 + "@example.org",
        '"ada"@example.org',
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence_that_says_what_to_do(address: str) -> None:
    with pytest.raises(BadAddress, match="Correct it"):
        mailbox(name="", address=address)


def test_a_domain_beyond_ascii_is_sent_in_its_ascii_form() -> None:
    assert mailbox(name="", address="ada@bücher.example").addr_spec == "ada@xn--bcher-kva.example"
    assert sent(to_address="ada@bücher.example").isascii()


@pytest.mark.parametrize(
    ("domain", "registered"),
    [
        ("straße.example", "xn--strae-oqa.example"),
        ("STRAẞE.example", "xn--strae-oqa.example"),
        ("ς.example", "xn--3xa.example"),
        ("bücher.straße.example", "xn--bcher-kva.xn--strae-oqa.example"),
    ],
)
def test_a_letter_of_the_domain_is_not_taken_for_another_so_that_no_stranger_gets_the_mail(
    domain: str, registered: str
) -> None:
    assert mailbox(name="", address=f"ada@{domain}").addr_spec == f"ada@{registered}"


def test_an_attachment_may_have_any_name() -> None:
    raw = sent(attachments=[Attachment('Karten „für“ "Zoë" 🎭.pdf', "application/pdf", b"x")])
    (attachment,) = message_from_bytes(raw, policy=default).iter_attachments()
    assert attachment.get_filename() == 'Karten „für“ "Zoë" 🎭.pdf'
    assert raw.isascii()


@pytest.mark.parametrize("utf8", [False, True])
def test_a_long_address_to_unsubscribe_at_stays_an_address_that_mail_programs_find(utf8: bool) -> None:
    headers = {
        "List-Unsubscribe": f"<https://tickets.{'long-' * 20}name.example.org/mails/{'x' * 80}/end/>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    raw = compose(content=content(headers=headers), message_id=MESSAGE_ID).as_bytes(policy=POLICY.clone(utf8=utf8))
    for name, value in headers.items():
        assert f"\r\n{name}: {value}\r\n".encode() in raw
