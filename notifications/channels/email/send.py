"""The e-mail channel: one notification becomes one message, and the provider takes it."""

from __future__ import annotations

from notifications.channels.email.compose import compose
from notifications.channels.email.smtp import send
from notifications.content import EmailContent
from notifications.models import Notification


def send_email(*, notification: Notification, content: EmailContent) -> None:
    """Hand the message to the mail server, outside any transaction. Raises what ``deliver`` tells."""
    send(compose(content=content, message_id=notification.message_id))
