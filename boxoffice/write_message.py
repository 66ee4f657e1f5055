"""Sending a planned message: it is written at that moment, in its reader's language, and handed to the provider.

Or it is not sent, because what was planned to be told is not so any more.
"""

from __future__ import annotations

from django.utils import translation

from boxoffice.errors import NothingToSay
from boxoffice.messages import CAN_BE_ENDED, draft
from boxoffice.messages.base import lay_out
from boxoffice.messages.urgency import is_urgent
from boxoffice.unsubscribe_link import unsubscribe_address
from notifications.content import EmailContent
from notifications.deliver import deliver
from notifications.erased_recipient import ADDRESS_ERASED, is_erased
from notifications.models import Notification
from notifications.suppress import suppress
from notifications.unsubscribe import UNSUBSCRIBED, is_unsubscribed
from notifications.unwritten import note_unwritten


def write_and_send(*, notification_id: int) -> None:
    """Write the notification with this id and deliver it.

    Or suppress it where its draft has nothing to say, where its reader wants no more mails of its kind, or where his
    address was erased. Does nothing when it is not queued any more.

    The database is only read here, outside any transaction; ``deliver`` calls the provider and records (I12).
    Raises what else the kind's draft raises, and the errors of ``deliver``.
    """
    notification = Notification.objects.get(pk=notification_id)
    if notification.status != Notification.Status.QUEUED:
        return  # nothing to write: the run ends, and the job is done
    if is_erased(recipient=notification.recipient):
        suppress(notification_id=notification_id, reason=ADDRESS_ERASED)
        return
    if _is_ended(notification):
        suppress(notification_id=notification_id, reason=UNSUBSCRIBED)
        return
    try:
        content = written(notification=notification)
    except NothingToSay as verdict:
        suppress(notification_id=notification_id, reason=str(verdict))
    except Exception as error:
        note_unwritten(notification_id=notification_id, error=error)
        raise
    else:
        urgent = is_urgent(kind=notification.kind)
        deliver(notification_id=notification_id, content=content, urgent=urgent)


def written(*, notification: Notification) -> EmailContent:
    """The e-mail that this notification is, as things stand now, in its language."""
    with translation.override(notification.language):
        message = draft(
            kind=notification.kind,
            subject=notification.subject,
            recipient=notification.recipient,
            occurrence=notification.occurrence,
        )
        kind, address = notification.kind, notification.recipient
        ended_at = unsubscribe_address(kind=kind, address=address) if kind in CAN_BE_ENDED else ""
        return lay_out(message, to_address=address, unsubscribe_url=ended_at)


def _is_ended(notification: Notification) -> bool:
    kind = notification.kind
    return kind in CAN_BE_ENDED and is_unsubscribed(address=notification.recipient, kind=kind)
