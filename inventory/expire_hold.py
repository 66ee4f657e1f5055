"""The job of a hold: it comes when the hold's time is over, and ends it.

Every hold leaves one (``take_seats``), in the transaction that takes the seats: 0.3 ms of processor beside the 7 ms of
holding. The job of a hold that was bought or given back is not cancelled: it comes, finds nothing to do, and is done.
Cancelling would be less work in all (0.3 ms instead of 1.6 ms and a message), but would be done while the fan waits for
"confirmed": one statement more, on a row that a worker may just be busy with. A job that finds nothing runs ten minutes
later, after whatever is more urgent; a thousand sales a minute cost a worker two seconds of it.
"""

from __future__ import annotations

from datetime import datetime

from inventory import transitions
from inventory.end_lapsed_holds import end_lapsed_holds
from jobs.enqueue import enqueue

# After whatever a fan waits for: no fan waits for this, since the seats of a lapsed hold can be taken anyway.
PRIORITY = 7


def enqueue_expiry(*, hold_id: int, expires_at: datetime) -> int:
    """Let the job come when the hold is to end; returns the job's id. Part of the caller's transaction. One query."""
    return enqueue(
        task="inventory.expire_hold",
        args={"hold_id": hold_id},
        subject=f"hold:{hold_id}",
        priority=PRIORITY,
        available_at=expires_at,
    )


def expire_hold(*, hold_id: int) -> bool:
    """End the hold if its time is over; returns whether this call did it. Part of the caller's transaction.

    Does nothing for a hold that was bought, given back or ended before. For one whose end was moved it enqueues the
    job anew, for the new end: whoever moves it need not know of the job. Any number of runs change nothing more.
    """
    hold = transitions.lock_active_hold(hold_id=hold_id)
    if hold is None:
        return False
    if not hold.has_lapsed:
        enqueue_expiry(hold_id=hold_id, expires_at=hold.expires_at)
        return False
    return bool(end_lapsed_holds(hold_ids=[hold_id], way="job"))
