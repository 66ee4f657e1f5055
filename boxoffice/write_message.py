"""Sending a planned message: it is written at that moment, in its reader's language, and handed to the provider.

Or it is not sent, because what was planned to be told is not so any more.
"""

from __future__ import annotations

from django.utils import translation

from boxoffice.errors import NothingToSay
from boxoffice.messages import draft
from boxoffice.messages.base import lay_out
from notifications.content import EmailContent
from notifications.deliver import deliver
from notifications.models import Notification
from notifications.suppress import suppress


def write_and_send(*, notification_id: int) -> None:
    """Write the notification with this id and deliver it, or suppress it where its draft has nothing to say.

    The database is only read here, outside any transaction; ``deliver`` calls the provider and records (I12).
    Raises what else the kind's draft raises, and the errors of ``deliver``.
    """
    notification = Notification.objects.get(pk=notification_id)
    try:
        content = written(notification=notification)
    except NothingToSay as verdict:
        suppress(notification_id=notification_id, reason=str(verdict))
    else:
        deliver(notification_id=notification_id, content=content)


def written(*, notification: Notification) -> EmailContent:
    """The e-mail that this notification is, as things stand now, in its language."""
    with translation.override(notification.language):
        message = draft(
            kind=notification.kind,
            subject=notification.subject,
            recipient=notification.recipient,
            occurrence=notification.occurrence,
        )
        return lay_out(message, to_address=notification.recipient)
