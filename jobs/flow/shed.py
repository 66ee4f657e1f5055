"""Dropping what comes too late to matter, from queues that may lose something.

Guarantee: only a queue that the table marks as sheddable loses jobs, only waiting ones, and each is counted and stays
in the ledger as cancelled, with the reason. Whatever somebody paid for stands in other queues; a start-up check holds
that every task of a sheddable queue says itself that it may be dropped.

A job that has been due for longer than the queue's bound is dropped whatever the policy. Of the others, those beyond
the queue's size are dropped: the oldest where the newest reading is worth most, the newest where who came first is
to be served. Jobs that are not due yet, or stand behind another one, are neither counted nor dropped.
"""

from __future__ import annotations

import structlog
from django.db import transaction

from jobs import metrics
from jobs.gates import open_next
from jobs.queues import Queue
from jobs.session import run

log = structlog.get_logger(__name__)

BATCH = 1000
"""Jobs that one statement drops; the next look takes the next ones."""

TOO_OLD = "shed: too old"
TOO_MANY = "shed: too many"

LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('jobs_shed ' || %(queue)s, 0))"

# A subquery that locks must stand in a CTE: a plan that asked it anew for each row would get other rows each time.
# Uses job_ready_oldest; a queue's destinations are few.
SHED_OLD = """
    WITH late AS (
        SELECT id FROM jobs_job
        WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready'
          AND available_at < jobs_now() - %(older_than)s * interval '1 second'
        ORDER BY available_at, id LIMIT %(batch)s FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs_job SET state = 'cancelled', finished_at = jobs_now(), reason = %(reason)s
    WHERE state = 'waiting' AND id IN (SELECT id FROM late)
    RETURNING ordering_key
"""

# Chosen before any is locked: a job that another relay is just handing out is passed over, and none that may stay goes
# in its place. Reads the queue's ready jobs, of which there are hardly more than the bound.
SHED_MANY = """
    WITH beyond AS (
        SELECT id FROM jobs_job
        WHERE state = 'waiting' AND id IN (
            SELECT id FROM jobs_job
            WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready'
            ORDER BY available_at {kept_first}, id {kept_first} OFFSET %(above)s LIMIT %(batch)s
        )
        ORDER BY id FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs_job SET state = 'cancelled', finished_at = jobs_now(), reason = %(reason)s
    WHERE state = 'waiting' AND id IN (SELECT id FROM beyond)
    RETURNING ordering_key
"""
SHED_OLDEST, SHED_NEWEST = SHED_MANY.format(kept_first="DESC"), SHED_MANY.format(kept_first="ASC")


def shed(*, queue: Queue, using: str) -> int:
    """Drop what ``queue`` holds beyond its bounds, up to ``BATCH`` for each; return how many. Three queries.

    Without a bound in the table it does nothing, and neither does it while another relay sheds the same queue: two who
    count at once would drop twice as many.
    """
    if queue.shed is None:
        return 0
    values = {
        "queue": queue.name,
        "older_than": queue.shed.older_than_seconds,
        "above": queue.shed.above,
        "batch": BATCH,
    }
    statement = SHED_OLDEST if queue.shed.policy == "oldest" else SHED_NEWEST
    with transaction.atomic(using=using):
        ((first,),) = run(using, LOCK, values)
        if not first:
            return 0
        return _drop(using, SHED_OLD, TOO_OLD, values) + _drop(using, statement, TOO_MANY, values)


def _drop(using: str, statement: str, reason: str, values: dict[str, object]) -> int:
    rows = run(using, statement, {**values, "reason": reason})
    for (ordering_key,) in rows:
        open_next(using=using, ordering_key=ordering_key)
    if rows:
        metrics.SHED.labels(queue=values["queue"], reason=reason).inc(len(rows))
        log.warning("jobs_shed", queue=values["queue"], count=len(rows), reason=reason)
    return len(rows)
