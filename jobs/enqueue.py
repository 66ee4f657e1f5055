"""Putting work into the ledger.

Guarantee (I1): the job exists if and only if the surrounding transaction commits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from psycopg.types.json import Jsonb
from structlog.contextvars import get_contextvars

from jobs import wakeup
from jobs.errors import NotInTransaction, UnknownTask

INSERT_JOB = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, available_at)
    VALUES (%s, %s, %s, %s, %s, %s, coalesce(%s, jobs_now()))
    RETURNING id
"""

DEFAULT_PRIORITY = 5


def enqueue(
    *,
    task: str,
    args: Mapping[str, Any],
    subject: str = "",
    priority: int = DEFAULT_PRIORITY,
    available_at: datetime | None = None,
    using: str = "default",
) -> int:
    """Insert one job and return its id. Costs one query in the caller's transaction.

    task: a name listed in the task table, which also names its queue. args: the task's keyword arguments, JSON.
    subject: what the job is about (``order:ABC``). priority: 0 is the most urgent, 9 the least.
    available_at: not before this instant; now when None.

    Raises NotInTransaction outside a transaction and UnknownTask for a name that the table does not list.
    """
    connection = connections[using]
    if not connection.in_atomic_block:
        raise NotInTransaction
    queue = settings.LEDGER_TASKS.get(task)
    if queue is None:
        raise UnknownTask(f"{task!r} is not in the task table of config/routes.py.")
    correlation_id = get_contextvars().get("correlation_id", "")
    values = [task, Jsonb(dict(args)), queue, priority, subject, correlation_id, available_at]
    with connection.cursor() as cursor:
        cursor.execute(INSERT_JOB, values)
        (job_id,) = cursor.fetchone()
    if available_at is None:
        # Robust: a caller whose transaction has committed must not fail over a wake-up.
        transaction.on_commit(lambda: wakeup.ring(using=using), using=using, robust=True)
    return int(job_id)
