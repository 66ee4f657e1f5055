"""Sending one planned e-mail."""

from __future__ import annotations

from jobs.errors import JobsError
from jobs.record import record
from notifications import transitions
from notifications.compose import compose
from notifications.content import Attachment, EmailContent
from notifications.errors import UnknownNotification
from notifications.models import Notification
from notifications.smtp import send

__all__ = ["Attachment", "EmailContent", "deliver"]


def deliver(*, notification_id: int, content: EmailContent) -> None:
    """Send the notification's e-mail and mark it sent. Does nothing but record when it is not queued any more.

    At least once (I4): if the server took the message and its answer was lost, the message goes out again with the
    same Message-ID. Attempts and the last error are kept in the row.

    Raises MailServerUnavailable and MailServerBusy, which are tried again, and MessageRefused, which is not; an
    unfit address or a line break in a header is refused before anything is sent.
    """
    if not transitions.begin_attempt(notification_id=notification_id):
        if not Notification.objects.filter(id=notification_id).exists():
            raise UnknownNotification
        return  # nothing to write: the run ends, and the job is done
    notification = Notification.objects.get(id=notification_id)
    try:
        send(compose(content=content, message_id=notification.message_id))
    except JobsError as error:
        transitions.note_error(notification_id=notification_id, error=str(error))
        raise
    with record():
        transitions.mark_sent(notification_id=notification_id)
