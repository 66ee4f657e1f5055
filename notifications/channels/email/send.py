"""The e-mail channel: one notification becomes one message, and the provider of the settings takes it."""

from __future__ import annotations

from django.conf import settings
from django.utils import translation

from notifications.channels.email import esp
from notifications.channels.email.compose import compose
from notifications.channels.email.fit import fitted
from notifications.channels.email.smtp import send
from notifications.content import EmailContent
from notifications.models import Notification


def send_email(*, notification: Notification, content: EmailContent) -> str:
    """Hand the message to the mail server or the ESP, outside any transaction; return the ESP's id, empty by SMTP.

    Message-ID and idempotency key are the row's, the same in each attempt. Raises what ``deliver`` tells.
    """
    with translation.override(notification.language):
        content = fitted(content)
    if settings.MAIL_PROVIDER == "smtp":
        send(compose(content=content, message_id=notification.message_id))
        return ""
    return esp.send(content=content, message_id=notification.message_id, key=str(notification.idempotency_key))
