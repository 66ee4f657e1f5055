"""What the mail server's answers mean for the next attempt."""

from __future__ import annotations

import smtplib
import time

import pytest

from jobs.errors import PermanentError, RateLimited, TransientError
from notifications.channels.email.smtp import BUSY_RETRY_AFTER, meaning_of, without_addresses
from notifications.errors import LargerThanTaken, MailServerBusy, MailServerUnavailable, MessageRefused


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (ConnectionRefusedError(111, "Connection refused"), MailServerUnavailable),
        (TimeoutError("timed out"), MailServerUnavailable),
        (OSError("Network is unreachable"), MailServerUnavailable),
        (smtplib.SMTPServerDisconnected("Connection unexpectedly closed"), MailServerUnavailable),
        (smtplib.SMTPConnectError(554, b"No SMTP service here"), MailServerUnavailable),
        (smtplib.SMTPHeloError(501, b"Go away"), MailServerUnavailable),
        (smtplib.SMTPAuthenticationError(535, b"Authentication failed"), MailServerUnavailable),
        (smtplib.SMTPDataError(451, b"Try later"), MailServerUnavailable),
        (smtplib.SMTPSenderRefused(421, b"Closing", "tickets@boxoffice.example"), MailServerUnavailable),
        (smtplib.SMTPDataError(450, b"4.7.28 Our system has detected an unusual rate"), MailServerBusy),
        (smtplib.SMTPDataError(421, b"Too many messages"), MailServerBusy),
        (smtplib.SMTPRecipientsRefused({"a@b.org": (450, b"Mailbox busy")}), MailServerUnavailable),
        (smtplib.SMTPRecipientsRefused({"a@b.org": (550, b"No such user")}), MessageRefused),
        (smtplib.SMTPSenderRefused(550, b"Not you", "tickets@boxoffice.example"), MessageRefused),
        (smtplib.SMTPDataError(554, b"Spam"), MessageRefused),
        (smtplib.SMTPDataError(552, b"5.3.4 Message too big"), LargerThanTaken),
        (smtplib.SMTPDataError(554, b"5.3.4 Message size exceeds the limit"), LargerThanTaken),
        (smtplib.SMTPDataError(550, b"5.2.3 Message length exceeds the limit"), LargerThanTaken),
        (smtplib.SMTPSenderRefused(552, b"Error: message size exceeds fixed maximum", "t@b.org"), LargerThanTaken),
        (smtplib.SMTPRecipientsRefused({"a@b.org": (552, b"5.2.2 Mailbox full")}), MessageRefused),
        (smtplib.SMTPDataError(552, b"5.7.0 Blocked for its content"), MessageRefused),
        (smtplib.SMTPDataError(554, b"Mentions 15.3.40 and 5.3.45"), MessageRefused),
        (smtplib.SMTPNotSupportedError("SMTPUTF8 not supported by server"), MessageRefused),
    ],
)
def test_not_now_is_tried_again_and_never_is_not(error: Exception, meaning: type[Exception]) -> None:
    assert type(meaning_of(error)) is meaning


def test_the_classes_are_those_that_the_ledger_knows() -> None:
    assert issubclass(MailServerUnavailable, TransientError)
    assert issubclass(MailServerBusy, RateLimited)
    assert issubclass(MessageRefused, PermanentError)


def test_a_busy_server_says_when_to_come_back() -> None:
    busy = meaning_of(smtplib.SMTPDataError(450, b"4.7.0 Too many messages"))
    assert isinstance(busy, MailServerBusy)
    assert busy.retry_after == BUSY_RETRY_AFTER


def test_what_is_kept_and_reported_quotes_no_address() -> None:
    for error in (
        smtplib.SMTPRecipientsRefused({"ada@example.org": (550, b"5.1.1 <ada@example.org>: unknown, ada@example.org")}),
        smtplib.SMTPDataError(451, "später für jörg@bücher.example".encode()),
        smtplib.SMTPSenderRefused(550, b"no", "tickets@boxoffice.example"),
        OSError("cannot send to ada@example.org"),
    ):
        assert "@" not in str(meaning_of(error))
        assert "example" not in str(meaning_of(error))


def test_a_word_as_long_as_servers_like_is_looked_through_at_once() -> None:
    began = time.process_time()
    assert without_addresses("x" * 200_000 + " ada@example.org") == "x" * 200_000 + " [address]"
    assert time.process_time() - began < 2
