"""Setting many waiting jobs aside for a long time, and letting them go again, because what they are about is paused.

    waiting, ready ──park──▶ waiting, later ──let_go──▶ waiting, ready

Guarantee: a job that a worker has in hand, or that lies at the broker, is left alone: it must ask by itself whether it
may go on. Nothing is lost: a job that nobody lets go comes again when its time is over.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobs import wakeup
from jobs.session import count

# Rows that are locked are just being handed out. By primary key; see Note [A row named by its id] in
# ``jobs.transitions``.
PARK = """
    UPDATE jobs_job
    SET gate = 'later', available_at = jobs_now() + %(seconds)s * interval '1 second', reason = %(reason)s
    WHERE id IN (
        SELECT id FROM jobs_job WHERE id = ANY(%(ids)s::bigint[]) AND state || '' = 'waiting' AND gate || '' = 'ready'
        ORDER BY id FOR UPDATE SKIP LOCKED
    )
"""

# Also those that wait for another attempt, which then come earlier. By primary key.
LET_GO = """
    UPDATE jobs_job SET gate = 'ready', available_at = jobs_now(), reason = ''
    WHERE id IN (
        SELECT id FROM jobs_job WHERE id = ANY(%(ids)s::bigint[]) AND state || '' = 'waiting' AND gate || '' = 'later'
        ORDER BY id FOR UPDATE SKIP LOCKED
    )
"""


def park(*, job_ids: Sequence[int], seconds: float, reason: str, using: str = "default") -> int:
    """Let those of the jobs that are ready wait for so long; returns how many. One query. reason: read by staff."""
    return count(using, PARK, {"ids": list(job_ids), "seconds": seconds, "reason": reason})


def let_go(*, job_ids: Sequence[int], queue: str, using: str = "default") -> int:
    """Let those of the jobs that wait for their time be due now; returns how many. One query. queue: theirs."""
    changed = count(using, LET_GO, {"ids": list(job_ids)})
    if changed:
        wakeup.ring_on_commit(using=using, queue=queue)
    return changed
