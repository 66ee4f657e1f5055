"""Putting work into the ledger.

Guarantee (I1): the job exists if and only if the surrounding transaction commits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connections
from structlog.contextvars import get_contextvars

from jobs import wakeup
from jobs.destinations import destination_of
from jobs.new_job import all_or_nothing, queue_for, require_transaction
from jobs.prepared import prepared_cursor

INSERT_JOB = """
    INSERT INTO jobs_job AS held (id, task, args, queue, destination, priority, subject, correlation_id,
                                  available_at, gate, unique_key, ordering_key, sequence)
    VALUES (coalesce(%(id)s, nextval('jobs_job_id_seq')), %(task)s, %(args)s, %(queue)s, %(destination)s, %(priority)s,
            %(subject)s, %(correlation_id)s, coalesce(%(available_at)s, jobs_now()), {gate},
            %(unique_key)s, %(ordering_key)s, {sequence})
    {when_one_waits}
    RETURNING id
"""

BY_TIME = "CASE WHEN %(available_at)s::timestamptz > jobs_now() THEN 'later' ELSE 'ready' END"

# Behind another job of its key that has not ended. Uses job_in_order.
IN_ORDER = """
    CASE WHEN EXISTS (SELECT 1 FROM jobs_job WHERE ordering_key = %(ordering_key)s AND ordering_key <> ''
                      AND state IN ('waiting', 'published', 'running'))
         THEN 'blocked' ELSE {by_time} END
"""

# Who gives a job of an ordering key its number holds the key until his commit, so that the jobs of a key become visible
# in the order of their numbers: a sequence alone is not monotonic across sessions.
LOCK_ORDER = "SELECT pg_advisory_xact_lock(hashtextextended('jobs_order ' || %(ordering_key)s, 0))"

# One job of a unique key waits at a time, and who comes later joins it. The row is locked for it, so that a run which
# starts meanwhile waits for our commit and sees our change; doing nothing here would let it run before. A job that is
# still as it was enqueued takes the more urgent priority and the earlier time of the two; one that waits for its next
# attempt keeps its time, or each join would burn an attempt. Uses job_one_waits_per_unique_key.
JOIN = """
    ON CONFLICT (unique_key) WHERE unique_key <> '' AND state IN ('waiting', 'published') DO UPDATE
    SET priority = least(held.priority, excluded.priority),
        available_at = CASE WHEN held.state = 'waiting' AND held.reason = ''
                            THEN least(held.available_at, excluded.available_at) ELSE held.available_at END,
        gate = CASE WHEN held.gate = 'later' AND held.reason = '' AND excluded.available_at <= jobs_now()
                    THEN 'ready' ELSE held.gate END
"""

# The first to come with a key reserves the job's id for it. Who comes meanwhile waits for his commit.
RESERVE = """
    INSERT INTO jobs_dedupkey (key, job_id) VALUES (%(key)s, nextval('jobs_job_id_seq'))
    ON CONFLICT (key) DO NOTHING RETURNING job_id
"""
RESERVED = "SELECT job_id FROM jobs_dedupkey WHERE key = %(key)s"


def enqueue(
    *,
    task: str,
    args: Mapping[str, Any],
    subject: str = "",
    priority: int | None = None,
    available_at: datetime | None = None,
    unique_key: str = "",
    ordering_key: str = "",
    dedup_key: str = "",
    using: str = "default",
) -> int:
    """Insert one job and return its id. Costs one query in the caller's transaction, and one for each of the two locks.

    task: a name listed in the task table, which also names its queue. args: the task's keyword arguments, JSON.
    subject: what the job is about (``order:ABC``). priority: 0 is the most urgent, 9 the least; the queue's when None.
    available_at: not before this instant; now when None.

    unique_key: while a job of this key waits, no second one is made; its id is returned. It must mean the same work
        ("refresh the availability of show 7"), since the arguments of the first one count. A job that runs already
        is not joined: it may have read before this change.
    ordering_key: jobs of this key run one after the other, in the order of their enqueueing. Another transaction that
        enqueues for the same key waits until this one has ended. A job that waits for its next attempt holds the
        others up; a dead or cancelled one lets the next go.
    dedup_key: once for ever ("reminder of order 9, show 3"): if it was ever used, nothing is enqueued and the first
        job's id is returned, whether the job still exists or not. Ever is a year and a month: see ``jobs/prune.py``.

    Raises NotInTransaction outside a transaction, UnknownTask for a name that the table does not list, and ValueError
    for a job that is to be both unique and once for ever: it could join one that was not.
    """
    require_transaction(using=using)
    queue = queue_for(task=task, unique_key=unique_key, dedup_key=dedup_key)
    values = {
        "id": None,
        "task": task,
        "args": json.dumps(dict(args)),
        "queue": queue.name,
        "destination": destination_of(task),
        "priority": queue.priority if priority is None else priority,
        "subject": subject,
        "correlation_id": get_contextvars().get("correlation_id", ""),
        "available_at": available_at,
        "unique_key": unique_key,
        "ordering_key": ordering_key,
    }
    with all_or_nothing(using=using):
        if dedup_key or ordering_key:
            with connections[using].cursor() as cursor:
                if dedup_key:
                    values["id"], is_first = _reserve(cursor, dedup_key)
                    if not is_first:
                        return int(values["id"])
                if ordering_key:
                    cursor.execute(LOCK_ORDER, {"ordering_key": ordering_key})
        with prepared_cursor(using=using) as cursor:
            cursor.execute(_statement(ordered=bool(ordering_key), unique=bool(unique_key)), values)
            (job_id,) = cursor.fetchone()
    if available_at is None:
        wakeup.ring_on_commit(using=using, queue=queue.name)
    return int(job_id)


def _reserve(cursor: Any, key: str) -> tuple[int, bool]:
    """The id of the key's job, and whether it is a new one.

    A key that was there, and is not when it is read, was forgotten in between for its age; then it is free again.
    """
    while True:
        for statement, is_first in ((RESERVE, True), (RESERVED, False)):
            cursor.execute(statement, {"key": key})
            if row := cursor.fetchone():
                return row[0], is_first


def _statement(*, ordered: bool, unique: bool) -> str:
    return INSERT_JOB.format(
        gate=IN_ORDER.format(by_time=BY_TIME) if ordered else BY_TIME,
        sequence="nextval('jobs_order')" if ordered else "NULL",
        when_one_waits=JOIN if unique else "",
    )
