"""What a dead job means for its notification, and what its replay does about it."""

from __future__ import annotations

from notifications import transitions


def mark_notification_failed(*, notification_id: int) -> bool:
    """The job that sends it is dead: queued → failed. Runs in the transaction that marks the job dead."""
    return transitions.mark_failed(notification_id=notification_id)


def reopen_failed_notification(*, notification_id: int) -> bool:
    """The inverse, for the replay of that job: failed → queued, with the same message id."""
    return transitions.reopen(notification_id=notification_id)
