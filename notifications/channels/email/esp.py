"""Handing a message to the ESP's API, through the anymail backend that the settings name."""

from __future__ import annotations

from email.utils import parseaddr

from anymail.exceptions import AnymailError
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from notifications.channels.email.compose import headers_of, mailbox, refuse_breaks
from notifications.channels.email.encoded_words import without_encoded_words
from notifications.channels.email.failures import is_taken_already, meaning_of
from notifications.channels.email.kept import Kept
from notifications.channels.email.resend import KEY
from notifications.content import EmailContent
from notifications.models import Notification

LONGEST_ID = Notification._meta.get_field("provider_id").max_length or 0

TAG = "notification"
"""The name under which the ESP keeps our key and tells it with every event; its recipients do not see it."""


def send(*, content: EmailContent, message_id: str, key: str) -> str:
    """Hand the message to the ESP on the session that this thread keeps open; return the ESP's own id for it.

    key: the message's idempotency key; the ESP sends once however often it is handed over with the same key. Empty is
    returned where the ESP had taken it in an attempt whose answer was lost, and the text has changed since.

    Raises HeaderInjection or BadAddress before anything is sent, and what ``failures.meaning_of`` tells; none of them
    quotes an address.
    """
    refuse_breaks(content)
    message = _message(without_encoded_words(content), message_id, key)
    try:
        backend = _kept.connection(made_by=(settings.EMAIL_BACKEND, repr(settings.ANYMAIL), settings.EMAIL_TIMEOUT))
        backend.send_messages([message])
    except AnymailError as error:
        if error.response is None:  # what was answered came over a connection that is sound
            _kept.drop()
        if is_taken_already(error):
            return ""
        raise meaning_of(error) from None  # the original holds the whole message, and tracebacks are kept and reported
    return _storable_id(message.anymail_status.message_id)  # type: ignore[attr-defined]


def _storable_id(told: object) -> str:
    """The ESP's id as the row keeps it; empty for one that does not fit, for the mail is out whatever it is called."""
    told = str(told or "")
    return told if told.isprintable() and len(told) <= LONGEST_ID else ""


def _message(content: EmailContent, message_id: str, key: str) -> EmailMultiAlternatives:
    sender_name, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    message = EmailMultiAlternatives(
        subject=content.subject,
        body=content.text,
        from_email=str(mailbox(name=sender_name, address=sender)),
        to=[str(mailbox(name=content.to_name, address=content.to_address))],
        headers=headers_of(content=content, message_id=message_id),
    )
    message.attach_alternative(content.html, "text/html")
    for attachment in content.attachments:
        message.attach(attachment.name, attachment.content, attachment.content_type)
    message.esp_extra = {KEY: key, "tags": [{"name": TAG, "value": key}]}  # type: ignore[attr-defined]
    return message


def _open() -> BaseEmailBackend:
    backend: BaseEmailBackend = get_connection(fail_silently=False, timeout=settings.EMAIL_TIMEOUT)
    backend.open()
    return backend


_kept: Kept[BaseEmailBackend] = Kept(
    opened=_open,
    alive=lambda _backend: True,  # urllib3 looks at each connection before it uses it again
    closed=lambda backend: backend.close(),
)
