"""What the ledger forgets each night: dedup keys and scheduled runs that nobody can ask for any more.

Guarantee: a key whose job has not ended stays, however old it is, and so does the last run of each schedule. Whatever
is deleted is deleted in batches of their own transactions. Any number of processes may prune at once, without a lock:
each takes rows that no other one has in hand, and a row that is gone is gone; so a second run changes nothing more.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import structlog

from jobs.batches import BATCH, OldestFirst, in_batches
from jobs.history.partitions import HISTORY_DAYS
from jobs.history.retire import Retirement
from jobs.session import run

log = structlog.get_logger(__name__)

KEPT_KEY_DAYS = HISTORY_DAYS
"""A key is asked for again by a step that comes twice: a message that was delivered late, a replay, a plan that runs
each night. The longest of those is a yearly one. As long as the history, which could still say what came of its job."""

KEPT_RUN_DAYS = 90
"""A quarter, for who asks whether a report was run. A run that is gone could be enqueued once more only if the
database's clock were set back by as much."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit. The next night goes on with what is left."""

# The oldest first. Keys pass through an array, as a limit that is a parameter is a tenth of the table to the planner.
# Uses dedup_key_age, and the primary key of jobs.
FORGET_KEYS = """
    WITH gone AS (
        DELETE FROM jobs_dedupkey WHERE key = ANY(ARRAY(
            SELECT key FROM jobs_dedupkey AS old
             WHERE created_at < jobs_now() - %(days)s * interval '24 hours'
               AND created_at >= coalesce(%(after)s, '-infinity'::timestamptz)
               AND NOT EXISTS (
                   SELECT FROM jobs_job WHERE id = old.job_id AND state || '' NOT IN ('done', 'cancelled')
               )
             ORDER BY created_at LIMIT %(batch)s
             FOR UPDATE SKIP LOCKED
        ))
        RETURNING created_at
    )
    SELECT count(*), max(created_at) FROM gone
"""

# By scheduled_run_once_per_due_time, one schedule after the other.
FORGET_RUNS = """
    WITH gone AS (
        DELETE FROM jobs_scheduledrun WHERE id = ANY(ARRAY(
            SELECT run.id FROM jobs_schedule AS schedule, LATERAL (
                SELECT id FROM jobs_scheduledrun
                 WHERE schedule_id = schedule.periodic_task_id
                   AND due_at < jobs_now() - %(days)s * interval '24 hours'
                   AND due_at < (SELECT max(due_at) FROM jobs_scheduledrun AS last
                                  WHERE last.schedule_id = schedule.periodic_task_id)
                 ORDER BY due_at LIMIT %(batch)s
                 FOR UPDATE SKIP LOCKED
            ) AS run
            LIMIT %(batch)s
        ))
        RETURNING id
    )
    SELECT count(*) FROM gone
"""


@dataclass(frozen=True)
class Pruned:
    """How many rows went: dedup keys and scheduled runs for good, ended jobs to the history."""

    keys: int
    runs: int
    jobs: int


def prune(*, using: str = "default", seconds: float = LONGEST_SECONDS) -> Pruned:
    """Forget what is old in one database, for at most about ``seconds``; the next call goes on.

    Also moves ended jobs to the history that the relays have not come to: they give it a twentieth of their time.
    Not inside a transaction. Raises Django's database errors; what was pruned before stays so.
    """
    # Each has a third of the time, and what is left of those before it: years of keys must not keep the rest waiting.
    runs_until, keys_until, jobs_until = (time.monotonic() + seconds * thirds / 3 for thirds in (1, 2, 3))
    pruned = Pruned(
        runs=in_batches(partial(_forget_runs, using), until=runs_until),
        keys=in_batches(OldestFirst(FORGET_KEYS, {"days": KEPT_KEY_DAYS}, using=using), until=keys_until),
        jobs=in_batches(partial(Retirement(using=using).retire_batch, size=BATCH), until=jobs_until),
    )
    log.info("pruned", database=using, keys=pruned.keys, runs=pruned.runs, jobs=pruned.jobs)
    return pruned


def _forget_runs(using: str) -> int:
    return int(run(using, FORGET_RUNS, {"days": KEPT_RUN_DAYS, "batch": BATCH})[0][0])
