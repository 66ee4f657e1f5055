"""Events of the ESP that it does not send any more."""

from __future__ import annotations

import time

import structlog
from django.db import DEFAULT_DB_ALIAS

from jobs.batches import OldestFirst, in_batches

log = structlog.get_logger(__name__)

KEPT_DAYS = 7
"""The ESP tells an event again for about a day; the rest is for those who look for it."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit. The next night goes on with what is left."""

# Uses mail_event_by_age.
DELETE_OLD = """
    WITH gone AS (
        DELETE FROM notifications_mailevent WHERE id = ANY(ARRAY(
            SELECT id FROM notifications_mailevent
             WHERE received_at < jobs_now() - %(days)s * interval '1 day'
               AND received_at >= coalesce(%(after)s, '-infinity'::timestamptz)
             ORDER BY received_at LIMIT %(batch)s
             FOR UPDATE SKIP LOCKED
        ))
        RETURNING received_at
    )
    SELECT count(*), max(received_at) FROM gone
"""


def prune_mail_events(*, seconds: float = LONGEST_SECONDS) -> int:
    """Delete events of which nobody will hear again, for at most about ``seconds``; return how many.

    Commits after each batch, and needs no lock: any number of processes may do it at once. Not inside a transaction.
    """
    step = OldestFirst(DELETE_OLD, {"days": KEPT_DAYS}, using=DEFAULT_DB_ALIAS)
    pruned = in_batches(step, until=time.monotonic() + seconds)
    log.info("mail_events_pruned", events=pruned)
    return pruned
