"""Putting many jobs into the ledger with few statements.

The rows are those that one ``enqueue`` after the other would have written. What the jobs lock, their keys, is taken in
one order whatever order they come in, so that two transactions that call this once each cannot wait for each other.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connections
from structlog.contextvars import get_contextvars

from jobs import gates, wakeup
from jobs.destinations import destination_of
from jobs.enqueue import JOIN
from jobs.new_job import NewJob, all_or_nothing, queue_for, require_transaction

BATCH = 1000
"""Rows of one statement; more make it larger, not quicker."""

MOST_ORDERING_KEYS = 1000
"""Of one call. Each is a lock until the commit, and PostgreSQL's table of locks, which all sessions share, has room for
some 6,000 by default."""

# Numbers in the order of the jobs, whatever order their rows are written in.
DRAW = "SELECT nextval(%(sequence)s) FROM generate_series(1, %(count)s)"

# The rows of a batch. A job is blocked that comes after another of its ordering key, be it in the ledger or among the
# jobs of this call. Uses job_in_order.
INSERT_JOBS = """
    INSERT INTO jobs_job AS held (id, task, args, queue, destination, priority, subject, correlation_id,
                                  available_at, gate, unique_key, ordering_key, sequence)
    SELECT id, task, args, queue, destination, priority, subject, %(correlation_id)s, due,
           CASE WHEN ordering_key <> '' AND (is_behind OR EXISTS (
                    SELECT 1 FROM jobs_job AS earlier
                    WHERE earlier.ordering_key = new.ordering_key AND earlier.ordering_key <> ''
                      AND earlier.state IN ('waiting', 'published', 'running') AND earlier.sequence < new.sequence
                )) THEN 'blocked'
                WHEN due > jobs_now() THEN 'later' ELSE 'ready' END,
           unique_key, ordering_key, sequence
    FROM (
        SELECT *, CASE WHEN is_due THEN least(available_at, jobs_now()) ELSE available_at END AS due
        FROM unnest(
            %(id)s::bigint[], %(task)s::text[], %(args)s::jsonb[], %(queue)s::text[], %(destination)s::text[],
            %(priority)s::smallint[], %(subject)s::text[], %(available_at)s::timestamptz[], %(is_due)s::boolean[],
            %(unique_key)s::text[], %(ordering_key)s::text[], %(sequence)s::bigint[], %(is_behind)s::boolean[]
        ) WITH ORDINALITY AS given (id, task, args, queue, destination, priority, subject, available_at, is_due,
                                    unique_key, ordering_key, sequence, is_behind, place)
    ) AS new
    ORDER BY place
"""
JOIN_OR_INSERT_JOBS = f"{INSERT_JOBS} {JOIN} RETURNING id, unique_key"

# The locks of ``enqueue``, in the order of what is locked: two keys may share a lock.
LOCK_ORDERS = """
    SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended('jobs_order ' || key, 0) AS lock
        FROM unnest(%(keys)s::text[]) AS key
        ORDER BY lock
    ) AS locks
"""

# The first to come with a key reserves the job's id for it. Who comes meanwhile waits for his commit.
RESERVE_KEYS = """
    INSERT INTO jobs_dedupkey (key, job_id)
    SELECT key, id FROM unnest(%(keys)s::text[], %(ids)s::bigint[]) WITH ORDINALITY AS given (key, id, place)
    ORDER BY place
    ON CONFLICT (key) DO NOTHING RETURNING key
"""
RESERVED_KEYS = "SELECT key, job_id FROM jobs_dedupkey WHERE key = ANY(%(keys)s)"


def enqueue_many(jobs: Iterable[NewJob], *, using: str = "default") -> list[int]:
    """Insert jobs and return their ids in the order given. Costs two queries and one for each ``BATCH`` of rows; those
    with an ordering key cost two more, those with a dedup key one or two, those with a unique key one per batch.

    Means what one ``enqueue`` after the other would: several jobs of one unique or dedup key are one job, whose id is
    returned for each of them, and the places of an ordering key follow the order given. All jobs are held in memory.

    Raises NotInTransaction, UnknownTask and ValueError like ``enqueue``, before anything is written, and ValueError for
    more than ``MOST_ORDERING_KEYS`` different ordering keys: split them over several transactions.
    """
    require_transaction(using=using)
    folded, rows = _fold(list(jobs))
    if len({row.job.ordering_key for row in rows} - {""}) > MOST_ORDERING_KEYS:
        raise ValueError(f"At most {MOST_ORDERING_KEYS} ordering keys in one call: use several transactions.")
    with all_or_nothing(using=using), connections[using].cursor() as cursor:
        for row, job_id in zip(rows, _draw(cursor, "jobs_job_id_seq", len(rows)), strict=True):
            row.id = job_id
        fresh = _without_those_reserved(cursor, rows)
        _put_in_order(cursor, fresh)
        # By key, which is the order in which their rows are locked.
        unique = sorted((row for row in fresh if row.job.unique_key), key=lambda row: row.job.unique_key)
        joined = _insert_or_join(cursor, unique)
        _insert(cursor, [row for row in fresh if not row.job.unique_key])
    for key in sorted({row.job.ordering_key for row in joined}):
        gates.open_next(using=using, ordering_key=key)  # who was to stand behind one that joined may be the first
    if any(row.is_due for row in fresh):
        wakeup.ring_on_commit(using=using)
    return [row.id for row in folded]


@dataclass(slots=True, eq=False)
class _Row:
    """One job on its way into the table, or several of one key."""

    job: NewJob
    args: str
    queue: str
    priority: int
    available_at: datetime | None
    is_due: bool
    id: int = 0
    sequence: int | None = None
    is_behind: bool = False

    def take_in(self, other: _Row) -> None:
        """What a later job of the unique key changes about the first one."""
        self.priority = min(self.priority, other.priority)
        self.is_due = self.is_due or other.is_due
        self.available_at = min(filter(None, (self.available_at, other.available_at)), default=None)


def _fold(jobs: Sequence[NewJob]) -> tuple[list[_Row], list[_Row]]:
    """The row of each job, and the different ones among them."""
    first: dict[Hashable, _Row] = {}
    folded = []
    for nth, job in enumerate(jobs):
        queue = queue_for(task=job.task, unique_key=job.unique_key, dedup_key=job.dedup_key)
        row = _Row(
            job=job,
            args=json.dumps(dict(job.args)),
            queue=queue.name,
            priority=queue.priority if job.priority is None else job.priority,
            available_at=job.available_at,
            is_due=job.available_at is None,
        )
        key = (job.unique_key, job.dedup_key) if job.unique_key or job.dedup_key else nth
        kept = first.setdefault(key, row)
        if kept is not row and job.unique_key:
            kept.take_in(row)
        folded.append(kept)
    return folded, list(first.values())


def _draw(cursor: Any, sequence: str, count: int) -> list[int]:
    if not count:
        return []
    cursor.execute(DRAW, {"sequence": sequence, "count": count})
    return [number for (number,) in cursor.fetchall()]


def _without_those_reserved(cursor: Any, rows: Sequence[_Row]) -> list[_Row]:
    """Reserve the dedup keys, give the rows whose key was used the first job's id, and return the others."""
    by_key = {row.job.dedup_key: row for row in rows if row.job.dedup_key}
    if not by_key:
        return list(rows)
    fresh: set[str] = set()
    unknown = set(by_key)
    while unknown:  # a second time if a key that was there has been forgotten for its age before it was read
        keys = sorted(unknown)
        cursor.execute(RESERVE_KEYS, {"keys": keys, "ids": [by_key[key].id for key in keys]})
        reserved = {key for (key,) in cursor.fetchall()}
        fresh |= reserved
        unknown -= reserved
        if unknown:
            cursor.execute(RESERVED_KEYS, {"keys": list(unknown)})
            for key, job_id in cursor.fetchall():
                by_key[key].id = job_id
                unknown.discard(key)
    return [row for row in rows if not row.job.dedup_key or row.job.dedup_key in fresh]


def _put_in_order(cursor: Any, rows: Sequence[_Row]) -> None:
    """Lock the ordering keys, and then give their rows numbers in the order given."""
    ordered = [row for row in rows if row.job.ordering_key]
    if not ordered:
        return
    keys: set[str] = set()
    cursor.execute(LOCK_ORDERS, {"keys": list({row.job.ordering_key for row in ordered})})
    for row, number in zip(ordered, _draw(cursor, "jobs_order", len(ordered)), strict=True):
        row.sequence = number
        row.is_behind = row.job.ordering_key in keys
        keys.add(row.job.ordering_key)


def _insert_or_join(cursor: Any, rows: Sequence[_Row]) -> list[_Row]:
    """Insert rows of unique keys; return those in order that became another job, whose id they have now."""
    joined = []
    for batch in _batches(rows):
        by_key = {row.job.unique_key: row for row in batch}
        cursor.execute(JOIN_OR_INSERT_JOBS, _parameters(batch))
        for job_id, key in cursor.fetchall():
            row = by_key[key]
            if row.id != job_id and row.job.ordering_key:
                joined.append(row)
            row.id = job_id
    return joined


def _insert(cursor: Any, rows: Sequence[_Row]) -> None:
    for batch in _batches(rows):
        cursor.execute(INSERT_JOBS, _parameters(batch))


def _batches(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def _parameters(rows: Sequence[_Row]) -> dict[str, Any]:
    return {
        "correlation_id": get_contextvars().get("correlation_id", ""),
        "id": [row.id for row in rows],
        "task": [row.job.task for row in rows],
        "args": [row.args for row in rows],
        "queue": [row.queue for row in rows],
        "destination": [destination_of(row.job.task) for row in rows],
        "priority": [row.priority for row in rows],
        "subject": [row.job.subject for row in rows],
        "available_at": [row.available_at and row.available_at.isoformat() for row in rows],
        "is_due": [row.is_due for row in rows],
        "unique_key": [row.job.unique_key for row in rows],
        "ordering_key": [row.job.ordering_key for row in rows],
        "sequence": [row.sequence for row in rows],
        "is_behind": [row.is_behind for row in rows],
    }
