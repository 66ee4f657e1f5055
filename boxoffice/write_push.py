"""Sending a planned push message: it is written at that moment, in the language of its page, and handed on."""

from __future__ import annotations

from django.utils import translation

from boxoffice.errors import NothingToSay
from boxoffice.messages import pushed
from notifications.deliver import deliver
from notifications.models import Notification
from notifications.suppress import suppress
from notifications.unwritten import note_unwritten


def write_and_push(*, notification_id: int) -> None:
    """Write the notification with this id and deliver it, or suppress it where there is nothing to say any more. Does
    nothing when it is not queued any more.

    The database is only read here, outside any transaction; ``deliver`` calls the push service and records (I12).
    Raises what else the kind raises, and the errors of ``deliver``.
    """
    notification = Notification.objects.get(pk=notification_id)
    if notification.status != Notification.Status.QUEUED:
        return  # nothing to write: the run ends, and the job is done
    try:
        with translation.override(notification.language):
            content = pushed.write(
                kind=notification.kind, subject=notification.subject, occurrence=notification.occurrence
            )
    except NothingToSay as verdict:
        suppress(notification_id=notification_id, reason=str(verdict))
    except Exception as error:
        note_unwritten(notification_id=notification_id, error=error)
        raise
    else:
        deliver(notification_id=notification_id, content=content)
