"""Handing a message to the mail server, and reading what its answer means for the next attempt.

Whatever says "not now" is tried again: a server that is away or that breaks off, an answer 4xx, and also a 5xx that
is not about this message (a refused login or greeting), which people mend while the job waits. A 5xx about the sender,
the recipient or the content is final.
"""

from __future__ import annotations

import re
import smtplib
from email.message import EmailMessage

from django.conf import settings
from django.core.mail.backends.smtp import EmailBackend

from jobs.errors import JobsError
from notifications.channels.email.compose import POLICY
from notifications.channels.email.kept import Kept
from notifications.errors import LargerThanTaken, MailServerBusy, MailServerUnavailable, MessageRefused
from notifications.limits.take import take

DEFAULT_TIMEOUT = 10  # seconds for each step, where the settings name none: a hanging server frees its worker

# Another value of one of these means another server, or another way to it.
MADE_BY = tuple(
    f"EMAIL_{name}" for name in ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL", "TIMEOUT")
)
NOOP_OK = 250

BUSY_RETRY_AFTER = 60  # seconds; SMTP has no Retry-After
_TOO_MANY = re.compile(r"\b4\.7\.(0|28)\b.*|rate|too many|throttl|limit exceeded", re.IGNORECASE)
_ENHANCED = re.compile(r"\b5\.\d{1,3}\.\d{1,3}\b")
_TOO_LARGE = frozenset({"5.3.4", "5.2.3"})
EXCEEDED_STORAGE = 552
# Tried at the beginning of a word alone: at each of its letters, a word as long as servers like would take for ever.
_LETTER = r"[^\s<>()\[\],;:\"]"
_ADDRESS = re.compile(rf"(?<!{_LETTER}){_LETTER}+@{_LETTER}+")


def send(message: EmailMessage) -> None:
    """Hand ``message`` to the server of the settings EMAIL_*, on the connection that this thread keeps open.

    One that was used before is asked first whether it is still there, so that a server that closed it costs no attempt.
    SMTPUTF8 is asked for only when an address needs it. Raises MailServerUnavailable, MailServerBusy or
    MessageRefused; none of them quotes an address.
    """
    try:
        backend = _kept.connection(made_by=tuple(getattr(settings, name, None) for name in MADE_BY))
        assert backend.connection is not None, "open() connects or raises"
        take("mail")
        _hand_over(message, backend.connection)
    except (smtplib.SMTPException, OSError) as error:
        _kept.drop()
        raise meaning_of(error) from None  # the original quotes the recipient, and tracebacks are kept and reported


def _open() -> EmailBackend:
    backend = EmailBackend(timeout=settings.EMAIL_TIMEOUT or DEFAULT_TIMEOUT)
    try:
        backend.open()
    except BaseException:
        _close(backend)
        raise
    return backend


def _is_alive(backend: EmailBackend) -> bool:
    """One short question: the answer to a whole mail would leave open whether it was taken."""
    try:
        return backend.connection is not None and backend.connection.noop()[0] == NOOP_OK
    except (smtplib.SMTPException, OSError):
        return False


def _hand_over(message: EmailMessage, server: smtplib.SMTP) -> None:
    """Our own ``send_message``: the one of smtplib puts a ">" before each line that begins with "From "."""
    sender, recipient = (message[name].addresses[0].addr_spec for name in ("From", "To"))
    beyond_ascii = not (sender + recipient).isascii()
    if beyond_ascii:
        server.ehlo_or_helo_if_needed()
        if not server.has_extn("smtputf8"):
            raise smtplib.SMTPNotSupportedError
    content = message.as_bytes(policy=POLICY.clone(utf8=beyond_ascii))
    server.sendmail(sender, [recipient], content, ["SMTPUTF8", "BODY=8BITMIME"] if beyond_ascii else [])


def meaning_of(error: Exception) -> JobsError:
    """The error as one that says whether to try again. Pure.

    | what happened                                     | becomes                            |
    |---------------------------------------------------|------------------------------------|
    | refused, reset or timed out; server broke off     | MailServerUnavailable              |
    | greeting or login refused, whatever the code      | MailServerUnavailable              |
    | 4xx that speaks of a rate                         | MailServerBusy, retry after 60 s   |
    | any other 4xx                                     | MailServerUnavailable              |
    | 5xx that says that the message is too large       | LargerThanTaken                    |
    | 5xx to sender, recipient or content               | MessageRefused                     |
    | the server lacks what the address needs           | MessageRefused                     |
    """
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return _by_code(code, text)
    if isinstance(error, smtplib.SMTPConnectError | smtplib.SMTPHeloError | smtplib.SMTPAuthenticationError):
        return MailServerUnavailable(_said(error.smtp_code, error.smtp_error))
    if isinstance(error, smtplib.SMTPResponseException):
        return _by_code(error.smtp_code, error.smtp_error)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return MessageRefused("The mail server cannot send to this kind of address. Ask for another address.")
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return MailServerUnavailable(f"The mail server broke off: {without_addresses(str(error))}")
    return MailServerUnavailable(f"The mail server could not be reached: {without_addresses(str(error))}")


def _by_code(code: int, text: bytes | str) -> JobsError:
    said = _said(code, text)
    if 500 <= code < 600:
        return LargerThanTaken(said) if _is_too_large(code, said) else MessageRefused(said)
    if _TOO_MANY.search(said):
        return MailServerBusy(said, retry_after=BUSY_RETRY_AFTER)
    return MailServerUnavailable(said)


def _is_too_large(code: int, said: str) -> bool:
    """By the enhanced code (RFC 3463). Without one, 552 says so (RFC 1870); with another it tells of a full mailbox."""
    enhanced = _ENHANCED.search(said)
    return enhanced[0] in _TOO_LARGE if enhanced else code == EXCEEDED_STORAGE


def _said(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"The mail server answered {code}: {without_addresses(' '.join(words.split()))}"


def without_addresses(text: str) -> str:
    """The text with every mail address blotted out."""
    return _ADDRESS.sub("[address]", text)


def _close(backend: EmailBackend) -> None:
    """Say goodbye, and do not mind if nobody listens: the message's fate is known already."""
    try:
        backend.close()
    except (smtplib.SMTPException, OSError):
        return


_kept: Kept[EmailBackend] = Kept(opened=_open, alive=_is_alive, closed=_close)
