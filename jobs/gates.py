"""The gates of waiting jobs: the relay reads those that are ready, and nothing else.

    ready      may be handed out now
    later      not due yet; opened when its time has come
    blocked    behind an earlier job of its ordering key; opened when that one has ended

A gate is no state and decides nothing about a job's life: it keeps a million jobs that cannot run out of the way of
those that can. Among the jobs of an ordering key that have not ended, the first is ready or later and all others are
blocked. Whoever ends a job opens the next one in the same transaction; what slips through (an enqueue and an end that
did not see each other) the relay finds within seconds.
"""

from __future__ import annotations

from jobs import wakeup
from jobs.session import count, run

BATCH = 1000

# Jobs whose time has come. A subquery that locks must stand in a CTE: a plan that asked it anew for each row would get
# other rows each time. Uses job_later from its early end.
OPEN_LATER = """
    WITH due AS (
        SELECT id FROM jobs_job WHERE state = 'waiting' AND gate = 'later' AND available_at <= jobs_now()
        ORDER BY available_at, id LIMIT %(batch)s FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs_job SET gate = 'ready' WHERE id IN (SELECT id FROM due)
"""

# Seconds until the next one. Uses job_later.
NEXT_LATER = """
    SELECT extract(epoch FROM min(available_at) - jobs_now())::float8
    FROM jobs_job WHERE state = 'waiting' AND gate = 'later'
"""

# The first of a key that has not ended. If it runs, or is open already, there is nothing to do. One that is locked is
# left to the relay's next look: who joined it may hold it for as long as his transaction lasts, and neither the end of
# a job nor a relay waits for that. Uses job_in_order.
OPEN_NEXT = """
    WITH next AS (
        SELECT id FROM jobs_job
        WHERE gate = 'blocked' AND state = 'waiting' AND id = (
            SELECT id FROM jobs_job
            WHERE ordering_key = %(key)s AND ordering_key <> '' AND state IN ('waiting', 'published', 'running')
            ORDER BY sequence LIMIT 1
        )
        FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs_job SET gate = CASE WHEN available_at > jobs_now() THEN 'later' ELSE 'ready' END
    WHERE id IN (SELECT id FROM next)
"""

# The keys whose first job is blocked, with one probe of job_in_order for each key that has any job under way.
STUCK_KEYS = """
    WITH RECURSIVE heads AS (
        (SELECT ordering_key, state, gate FROM jobs_job
         WHERE ordering_key <> '' AND state IN ('waiting', 'published', 'running')
         ORDER BY ordering_key, sequence LIMIT 1)
        UNION ALL
        SELECT next.ordering_key, next.state, next.gate FROM heads, LATERAL (
            SELECT ordering_key, state, gate FROM jobs_job
            WHERE ordering_key > heads.ordering_key AND ordering_key <> ''
              AND state IN ('waiting', 'published', 'running')
            ORDER BY ordering_key, sequence LIMIT 1
        ) AS next
    )
    SELECT ordering_key FROM heads WHERE state = 'waiting' AND gate = 'blocked' LIMIT %(batch)s
"""

# Jobs that are open although an earlier one of their key has not ended. Uses job_in_order.
CLOSE_MISPLACED = """
    UPDATE jobs_job AS job SET gate = 'blocked'
    WHERE state = 'waiting' AND gate <> 'blocked' AND ordering_key <> '' AND EXISTS (
        SELECT 1 FROM jobs_job AS earlier
        WHERE earlier.ordering_key = job.ordering_key AND earlier.sequence < job.sequence
          AND earlier.ordering_key <> '' AND earlier.state IN ('waiting', 'published', 'running')
    )
"""


def open_later(*, using: str) -> int:
    """Open the gates of up to ``BATCH`` jobs whose time has come; return how many. One query."""
    return count(using, OPEN_LATER, {"batch": BATCH})


def seconds_until_next(*, using: str) -> float | None:
    """How long until the next job is due that is not yet; None when there is none. One query."""
    ((seconds,),) = run(using, NEXT_LATER, {})
    return None if seconds is None else max(float(seconds), 0.0)


def open_next(*, using: str, ordering_key: str) -> int:
    """Open the first job of a key, if it is blocked; return how many. One query, none for a job without a key."""
    if not ordering_key:
        return 0
    opened = count(using, OPEN_NEXT, {"key": ordering_key})
    if opened:
        wakeup.ring_on_commit(using=using)
    return opened


def open_stuck(*, using: str) -> int:
    """Open the first job of each key where nobody did; return how many. One query for each such key, and one more."""
    return sum(open_next(using=using, ordering_key=key) for (key,) in run(using, STUCK_KEYS, {"batch": BATCH}))


def close_misplaced(*, using: str) -> int:
    """Close what must not be open, after a row was changed by hand or by a fault; return how many. One query."""
    return count(using, CLOSE_MISPLACED, {})
