"""The e-mail channel: one notification becomes one message, and the provider of the settings takes it."""

from __future__ import annotations

import structlog
from django.conf import settings
from django.utils import translation

from notifications.channels.email import esp
from notifications.channels.email.compose import compose
from notifications.channels.email.fit import fitted, linked
from notifications.channels.email.smtp import send
from notifications.content import EmailContent
from notifications.errors import LargerThanTaken
from notifications.models import Notification

log = structlog.get_logger(__name__)


def send_email(*, notification: Notification, content: EmailContent) -> str:
    """Hand the message to the mail server or the ESP, outside any transaction; return the ESP's id, empty by SMTP.

    Message-ID and idempotency key are the row's, the same in each attempt. Where the provider takes less than
    MAIL_ATTACHMENTS_MB says, the message goes out at once with the link instead of the attachments: what is refused for
    its size is sent to nobody, so this is no second message. Raises what ``deliver`` tells.
    """
    with translation.override(notification.language):
        content = fitted(content)
    try:
        return _hand_over(notification, content)
    except LargerThanTaken as refusal:
        if not (content.attachments and content.link_instead):
            raise
        log.warning("mail_larger_than_taken", notification=notification.pk, said=str(refusal))
    with translation.override(notification.language):
        content = linked(content)
    return _hand_over(notification, content)


def _hand_over(notification: Notification, content: EmailContent) -> str:
    if settings.MAIL_PROVIDER == "smtp":
        send(compose(content=content, message_id=notification.message_id))
        return ""
    return esp.send(content=content, message_id=notification.message_id, key=str(notification.idempotency_key))
