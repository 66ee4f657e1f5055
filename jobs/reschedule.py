"""Moving a delayed job, because what it waits for was moved.

Guarantee: of the caller's change and the job's new time, both are committed or neither. A job that a worker has in hand
already is left alone: its run must look by itself whether its time has come, under the caller's change.
"""

from __future__ import annotations

from datetime import datetime

from jobs import transitions, wakeup


def reschedule(*, unique_key: str, available_at: datetime, using: str = "default") -> bool:
    """Let the waiting job of this ``unique_key`` run at another time, earlier or later; at once if that is past.

    available_at: with its time zone. Belongs into the transaction that moves what the job waits for; outside one it
    commits by itself. One query. Behind another job of its ordering key it stays behind it.

    Returns False when no job of this key waits for its time: there is none, it is with the broker or runs, or it waits
    for its next attempt. Who wants one in any case then enqueues it under the same key, which joins one that is not
    running yet.
    """
    queue = transitions.reschedule(using=using, unique_key=unique_key, available_at=available_at)
    if queue is None:
        return False
    # Costs nothing where the new time is still to come: the relay wakes up and finds nothing due.
    wakeup.ring_on_commit(using=using, queue=queue)
    return True
