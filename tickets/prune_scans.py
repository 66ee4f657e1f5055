"""What doors did, once nobody asks any more who was let in."""

from __future__ import annotations

import time

import structlog
from django.db import DEFAULT_DB_ALIAS

from jobs.batches import BATCH, in_batches
from jobs.session import run

log = structlog.get_logger(__name__)

KEPT_DAYS = 400
"""As long as the history of jobs: last year's show."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit. The next night goes on with what is left."""

# Ids grow with time, so that the oldest rows are the first of the primary key, which this uses: it reads one batch,
# also when nothing is old. Nobody changes these rows; of two calls at once the second finds them gone, and ends.
DELETE_OLD = """
    WITH oldest AS (
        SELECT id, at FROM tickets_scan WHERE id > %(after)s ORDER BY id LIMIT %(batch)s
    ), gone AS (
        DELETE FROM tickets_scan WHERE id = ANY(ARRAY(
            SELECT id FROM oldest WHERE at < jobs_now() - %(days)s * interval '1 day'
        ))
        RETURNING id
    )
    SELECT count(*), max(id) FROM gone
"""


def prune_scans(*, seconds: float = LONGEST_SECONDS) -> int:
    """Delete scans that are older than ``KEPT_DAYS``, for at most about ``seconds``; return how many.

    The tickets stay as they are. Commits after each batch; any number of processes may do it at once. Not inside a
    transaction.
    """
    after = 0

    def step() -> int:
        nonlocal after
        values = {"days": KEPT_DAYS, "batch": BATCH, "after": after}
        ((deleted, last),) = run(DEFAULT_DB_ALIAS, DELETE_OLD, values)
        after = last or after
        return int(deleted)

    pruned = in_batches(step, until=time.monotonic() + seconds)
    log.info("scans_pruned", scans=pruned)
    return pruned
