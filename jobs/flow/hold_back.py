"""Taking published jobs back that must not start now: those of a paused queue, and of a destination that is paused or
taken for away.

    published ──hold_back──▶ waiting

Guarantee: a job that runs is left to end, and no job is lost: its message, if it comes, meets a job that waits and is
skipped (I5). A row that is locked is just being claimed, and runs.
"""

from __future__ import annotations

from jobs.session import run

PAUSED = "paused"
PROVIDER_AWAY = "provider away"

# Uses job_published.
HOLD_BACK_QUEUE = """
    UPDATE jobs_job SET state = 'waiting', reason = %(reason)s
    WHERE id IN (
        SELECT id FROM jobs_job WHERE queue = %(name)s AND state = 'published' FOR UPDATE SKIP LOCKED
    )
    RETURNING id
"""

# Uses job_at_destination.
HOLD_BACK_DESTINATION = """
    UPDATE jobs_job SET state = 'waiting', reason = %(reason)s
    WHERE id IN (
        SELECT id FROM jobs_job WHERE destination = %(name)s AND destination <> '' AND state = 'published'
        FOR UPDATE SKIP LOCKED
    )
    RETURNING id
"""


def hold_back_queue(*, using: str, name: str, reason: str) -> list[int]:
    """Let the published jobs of the queue ``name`` wait again; return their ids. One query."""
    return [job_id for (job_id,) in run(using, HOLD_BACK_QUEUE, {"name": name, "reason": reason})]


def hold_back_destination(*, using: str, name: str, reason: str) -> list[int]:
    """Let the published jobs of the destination ``name`` wait again; return their ids. One query."""
    return [job_id for (job_id,) in run(using, HOLD_BACK_DESTINATION, {"name": name, "reason": reason})]
