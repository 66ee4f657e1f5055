"""Putting the jobs that a query yields into the ledger, by that one statement: none of them passes through here.

The rows are those that one ``enqueue`` for each would have written. For tens of thousands at once; what is at hand in
Python goes in by ``enqueue_many``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connections
from structlog.contextvars import get_contextvars

from jobs import wakeup
from jobs.destinations import destination_of
from jobs.new_job import all_or_nothing, queue_for, require_transaction

# Due at once and without keys; what is not named here has the defaults of a job that was just enqueued.
INSERT_SELECTED = """
    WITH {steps}
    INSERT INTO jobs_job (task, args, queue, destination, priority, subject, correlation_id)
    SELECT %(job_task)s, args, %(job_queue)s, %(job_destination)s, %(job_priority)s, subject, %(job_correlation_id)s
    FROM new
"""


def enqueue_selected(
    *,
    task: str,
    rows: str,
    params: Mapping[str, Any],
    steps: Mapping[str, str] | None = None,
    priority: int | None = None,
    using: str = "default",
) -> int:
    """Insert one job for each row that ``rows`` yields, and return how many. One statement.

    task, priority: as for ``enqueue``; they hold for all of them.
    rows: SQL with the columns ``args jsonb`` (an object) and ``subject text``: a SELECT, or a statement that changes
        data and returns them. Their order is that of the jobs.
    steps: SQL by name, for ``rows`` and later steps to read from: PostgreSQL takes statements that change data at this
        level only. They see the tables as they were before, and of each other what is returned.
    params: the values of the ``%(name)s`` in all of it. Names that begin with ``job_`` are taken, and the step ``new``.

    ``rows`` and ``steps`` become part of the statement: they are constants of the program, never made of what somebody
    typed. Values go into ``params``.

    Raises NotInTransaction, UnknownTask, and ValueError for a name that is taken, before anything is written. After an
    error of the database the transaction can only roll back.
    """
    require_transaction(using=using)
    queue = queue_for(task=task, unique_key="", dedup_key="")
    before = dict(steps or {})
    if taken := [name for name in params if name.startswith("job_")] + [name for name in before if name == "new"]:
        raise ValueError(f"These names are taken: {', '.join(taken)}.")
    values = {
        **params,
        "job_task": task,
        "job_queue": queue.name,
        "job_destination": destination_of(task),
        "job_priority": queue.priority if priority is None else priority,
        "job_correlation_id": get_contextvars().get("correlation_id", ""),
    }
    parts = [f"{name} AS ({sql})" for name, sql in {**before, "new": rows}.items()]
    with all_or_nothing(using=using), connections[using].cursor() as cursor:
        cursor.execute(INSERT_SELECTED.format(steps=", ".join(parts)), values)
        count = int(cursor.rowcount)
    if count:
        wakeup.ring_on_commit(using=using, queue=queue.name)
    return count
