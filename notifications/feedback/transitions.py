"""What an event of the ESP makes of a notification's status.

Each is one conditional UPDATE that only ever goes up this ladder, so that events may come in any order, late, twice, or
before the job that sent the mail has recorded it, and the status ends the same:

    queued, failed  <  sent  <  delivered  <  bounced  <  complained

A bounce wins over a delivery, since servers take mails first and return them later. A failed notification climbs too:
the answers to all its attempts were lost, and the mail is out. A suppressed one was never sent, and stays.
"""

from __future__ import annotations

from django.db.models import F
from django.db.models.functions import Coalesce

from jobs.clock import DatabaseNow
from notifications.models import Notification
from notifications.transitions import one_line

Status = Notification.Status

_BELOW = {
    Status.SENT: (Status.QUEUED, Status.FAILED),
    Status.DELIVERED: (Status.QUEUED, Status.FAILED, Status.SENT),
    Status.BOUNCED: (Status.QUEUED, Status.FAILED, Status.SENT, Status.DELIVERED),
    Status.COMPLAINED: (Status.QUEUED, Status.FAILED, Status.SENT, Status.DELIVERED, Status.BOUNCED),
}


def climb(*, notification_id: int, to: str, why: str = "") -> bool:
    """Up to ``to``; False when the notification stands there or higher, or was suppressed.

    why: what the ESP said, for staff, in ``last_error``.
    """
    below = Notification.objects.filter(id=notification_id, status__in=_BELOW[Status(to)])
    sent_at = Coalesce(F("sent_at"), DatabaseNow())
    return below.update(status=to, sent_at=sent_at, last_error=one_line(why)) == 1
