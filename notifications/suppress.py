"""Not sending what was planned, on purpose."""

from __future__ import annotations

from jobs.record import record
from notifications import transitions


def suppress(*, notification_id: int, reason: str) -> None:
    """Mark the notification suppressed, and the job that was to send it done. Does nothing but record when it is not
    queued any more.

    reason: why it is not so any more, in a few words for staff; the row keeps it.
    """
    with record():
        transitions.mark_suppressed(notification_id=notification_id, reason=reason)
