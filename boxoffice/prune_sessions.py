"""Web sessions that nobody can use any more.

Django leaves them in their table, where each visit to a show with a hold makes one (``config/sessions.py``).
"""

from __future__ import annotations

import time

import structlog
from django.db import DEFAULT_DB_ALIAS

from jobs.batches import OldestFirst, in_batches

log = structlog.get_logger(__name__)

LONGEST_SECONDS = 20.0
"""Well below the soft time limit. The next night goes on with what is left."""

LATE_HOURS = 1
"""A session ends by the clock of the web process that looks at it; this is more than two clocks differ by."""

# A session that is being used again just now is locked, or has a later end when its row is read. Ids pass through an
# array, as a limit that is a parameter is a tenth of the table to the planner. Uses the index on expire_date.
DELETE_EXPIRED = """
    WITH gone AS (
        DELETE FROM django_session WHERE session_key = ANY(ARRAY(
            SELECT session_key FROM django_session
             WHERE expire_date < jobs_now() - %(late)s * interval '1 hour'
               AND expire_date >= coalesce(%(after)s, '-infinity'::timestamptz)
             ORDER BY expire_date LIMIT %(batch)s
             FOR UPDATE SKIP LOCKED
        ))
        RETURNING expire_date
    )
    SELECT count(*), max(expire_date) FROM gone
"""


def prune_sessions(*, seconds: float = LONGEST_SECONDS) -> int:
    """Delete expired sessions, for at most about ``seconds``; return how many. The next call goes on.

    Commits after each batch, and needs no lock: any number of processes may do it at once. Not inside a transaction.
    Sessions are in the default database.
    """
    step = OldestFirst(DELETE_EXPIRED, {"late": LATE_HOURS}, using=DEFAULT_DB_ALIAS)
    pruned = in_batches(step, until=time.monotonic() + seconds)
    log.info("sessions_pruned", sessions=pruned)
    return pruned
