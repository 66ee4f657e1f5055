"""Moving jobs that have ended from the ledger to the history, a batch at a time.

Guarantee: a job is in the ledger or in the history, in one of them and never in both, at every moment and to every
reader, since one statement does both. Jobs that wait, run or are dead stay, however old they are. What staff did to a
job stays in the audit trail, and a dedup key outlasts its job, by as long as ``jobs/prune.py`` says.
"""

from __future__ import annotations

from datetime import date, datetime

from jobs import metrics
from jobs.history.partitions import following, make_partition, month_of
from jobs.session import run

KEPT_HOURS = 48
"""How long an ended job stays as it was, with arguments, error and traceback, for whoever looks into it: a
weekend. In hours, not days, which the session's time zone could make longer or shorter."""

BATCH = 200
"""Jobs of one statement: a few milliseconds, in which a relay hands out nothing."""

# When the first one ended that has been kept long enough. Uses job_ended from its old end.
OLDEST = """
    SELECT finished_at FROM jobs_job
    WHERE state IN ('done', 'cancelled') AND finished_at < jobs_now() - %(kept)s * interval '1 hour'
      AND finished_at >= coalesce(%(after)s, '-infinity'::timestamptz)
    ORDER BY finished_at LIMIT 1
"""

# How many would go now. Uses job_ended.
HOW_MANY = """
    SELECT count(*) FROM jobs_job
    WHERE state IN ('done', 'cancelled') AND finished_at < jobs_now() - %(kept)s * interval '1 hour'
"""

# Those that somebody else is just moving are passed over. The ids pass through an array, since the planner takes a
# limit that is a parameter for a tenth of the table and would read all of it. Uses job_ended and the primary key.
RETIRE = """
    WITH gone AS (
        DELETE FROM jobs_job WHERE id = ANY(ARRAY(
            SELECT id FROM jobs_job
            WHERE state IN ('done', 'cancelled') AND finished_at < jobs_now() - %(kept)s * interval '1 hour'
              AND finished_at >= %(first)s AND finished_at < %(end)s
            ORDER BY finished_at LIMIT %(batch)s
            FOR UPDATE SKIP LOCKED
        ))
        RETURNING id, task, queue, destination, subject, correlation_id, created_at, started_at, finished_at,
                  attempts, generation, state, reason
    ), kept AS (
        INSERT INTO jobs_jobhistory (id, task, queue, destination, subject, correlation_id, created_at, started_at,
                                     finished_at, attempts, generation, state, reason)
        SELECT * FROM gone RETURNING finished_at
    )
    SELECT count(*), max(finished_at) FROM kept
"""


class Retirement:
    """Moves the ended jobs of one database, the oldest first.

    It remembers how far it has come: while a long transaction elsewhere keeps PostgreSQL from forgetting what was
    deleted, a search that began at the oldest end would read past all of it each time.
    """

    def __init__(self, *, using: str = "default") -> None:
        self._using = using
        self._after: datetime | None = None
        self._months: set[date] = set()

    def retire_batch(self, *, size: int = BATCH) -> int:
        """Move up to ``size`` jobs, in one transaction; return how many. 0 means that none is due, or that others
        are moving them. Two queries, one or two when none is due; a month's first job costs a few more.
        """
        first = self._oldest()
        if first is None:
            return 0
        month = month_of(first)
        if month not in self._months:
            make_partition(month=month, using=self._using)
            self._months.add(month)
        values = {"first": first, "end": f"{following(month)} 00:00:00+00", "batch": size, "kept": KEPT_HOURS}
        ((moved, last),) = run(self._using, RETIRE, values)
        if moved:
            self._after = last
            metrics.RETIRED.inc(moved)
        return int(moved)

    def _oldest(self) -> datetime | None:
        """When the first job ended that is due; what was passed over on the way comes last."""
        while True:
            rows = run(self._using, OLDEST, {"kept": KEPT_HOURS, "after": self._after})
            if rows or self._after is None:
                return rows[0][0] if rows else None
            self._after = None


def count_due(*, using: str = "default") -> int:
    """How many jobs have been kept long enough. One query."""
    return int(run(using, HOW_MANY, {"kept": KEPT_HOURS})[0][0])
