"""Sending a planned message: it is written at that moment, in its reader's language, and handed to the provider."""

from __future__ import annotations

from django.utils import translation

from boxoffice.messages import draft
from boxoffice.messages.base import lay_out
from notifications.content import EmailContent
from notifications.deliver import deliver
from notifications.models import Notification


def write_and_send(*, notification_id: int) -> None:
    """Write the notification with this id and deliver it.

    The database is only read here, outside any transaction; ``deliver`` calls the provider and records (I12).
    Raises what the kind's draft raises, and the errors of ``deliver``.
    """
    notification = Notification.objects.get(pk=notification_id)
    deliver(notification_id=notification_id, content=written(notification=notification))


def written(*, notification: Notification) -> EmailContent:
    """The e-mail that this notification is, as things stand now, in its language."""
    with translation.override(notification.language):
        message = draft(kind=notification.kind, subject=notification.subject)
        return lay_out(message, to_address=notification.recipient)
