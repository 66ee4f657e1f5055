"""``manage.py discard_dlq``: dead jobs are given up for good. See docs/dead-letters.md."""

from __future__ import annotations

from jobs.dead.bulk import Result, discard_batch
from jobs.dead.selection import DeadRow
from jobs.management.dead_jobs import DeadJobsCommand


class Command(DeadJobsCommand):
    help = "Cancels dead jobs, oldest first, with a reason. What their death meant to orders and tickets stays."
    done = "discarded"

    def apply(self, rows: list[DeadRow], *, by: str, reason: str, pause_seconds: float) -> Result:
        return discard_batch(rows, by=by, reason=reason, using=self.using)
