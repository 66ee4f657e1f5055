"""A fan closes the page: the seats go back on sale soon, unless he comes back.

A browser says the same when a page is closed, loaded again or left for another one. So leaving only marks the hold, and
a job frees the seats when LEFT_GRACE is over; whoever comes back within it takes the mark away. Nothing is freed once
an order was placed. The job only is early: a hold whose job never comes ends when its time is over, as any other.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from inventory import hold_transitions, transitions
from jobs.enqueue import enqueue

LEFT_GRACE = timedelta(seconds=60)
"""A page that loads again over a poor network is back by then, and so is a browser that was started anew."""

PRIORITY = 6
"""Before the ends of holds, after whatever a fan waits for: others may be looking at these seats now."""


def leave_hold(*, token: UUID) -> bool:
    """Mark the hold as left, and let the job come; returns whether this call did it. Opens its own transaction.

    False for a hold that is marked already, has ended, is unknown, or by which somebody buys: who leaves is not there
    any more to read why. Two queries.
    """
    with transaction.atomic():
        left = hold_transitions.leave(token=token)
        if left is None:
            return False
        hold_id, since = left
        _enqueue_release(hold_id=hold_id, at=since + LEFT_GRACE)
        return True


def come_back(*, token: UUID) -> bool:
    """Take the mark away; returns whether there was one. Opens its own transaction. One query."""
    with transaction.atomic():
        return hold_transitions.come_back(token=token)


def release_left_hold(*, hold_id: int) -> bool:
    """The job: free the seats if nobody came back; returns whether it did. Part of the caller's transaction.

    Where somebody came back and left once more, the job comes again. Any number of runs change nothing more.
    """
    left = hold_transitions.lock_left_hold(hold_id=hold_id, grace=LEFT_GRACE)
    if left is None:
        return False
    if not left.is_over:
        _enqueue_release(hold_id=hold_id, at=left.ends)
        return False
    if not hold_transitions.release_left_hold(hold_id=hold_id, grace=LEFT_GRACE):
        return False
    transitions.free_seats(hold_ids=[hold_id])
    return True


def _enqueue_release(*, hold_id: int, at: datetime) -> None:
    enqueue(
        task="inventory.release_left_hold",
        args={"hold_id": hold_id},
        subject=f"hold:{hold_id}",
        priority=PRIORITY,
        available_at=at,
        unique_key=f"left_hold:{hold_id}",
    )
