"""Which dead jobs are meant: a filter, and one statement that it becomes.

Everything here reads. However many jobs a filter matches, they are read page by page, oldest first, and counted by
the database. The generation that was read guards every later write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from jobs.session import run

QUARANTINE_GENERATION = 3
"""Replays after which a job that died again is left alone: three people believed that the cause was mended."""

FIRST_IDS = 5
"""How many numbers of a group are named, to look one up."""

# Each option of the filter and what it asks of a row. Uses the index job_dead, read from its old end.
CONDITIONS = {
    "job_ids": "id = ANY(%(job_ids)s)",
    "task": "task = %(task)s",
    "task_prefix": "starts_with(task, %(task_prefix)s)",
    "queue": "queue = %(queue)s",
    "error": "strpos(lower(reason || ' ' || error), lower(%(error)s)) > 0",
    "subject": "subject = %(subject)s",
    "since": "finished_at >= %(since)s",
    "until": "finished_at <= %(until)s",
    "below_generation": "generation < %(below_generation)s",
    "from_generation": "generation >= %(from_generation)s",
    "after": "(finished_at, id) > (%(after_at)s, %(after_id)s)",
}

CHOSEN = """
    SELECT id, task, queue, args, generation, reason, error, finished_at
    FROM jobs_job WHERE state = 'dead' AND {conditions}
    ORDER BY finished_at, id LIMIT %(limit)s
"""

# The cause is the error's class, the part of the text that many jobs share and that names nobody.
GROUPS = """
    WITH chosen AS ({chosen})
    SELECT task, CASE WHEN error = '' THEN reason ELSE split_part(error, ':', 1) END AS cause, count(*),
           (array_agg(id ORDER BY finished_at, id))[1:%(first)s]
    FROM chosen GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
"""

# Jobs that the same task would be called for with the same names of arguments stand or fall together.
SHAPES = """
    WITH chosen AS ({chosen})
    SELECT task, queue,
           CASE WHEN jsonb_typeof(args) = 'object' THEN ARRAY(SELECT jsonb_object_keys(args) ORDER BY 1) END AS names,
           count(*), (array_agg(id ORDER BY finished_at, id))[1:%(first)s]
    FROM chosen GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""

COUNT = "SELECT count(*) FROM jobs_job WHERE state = 'dead' AND {conditions}"


@dataclass(frozen=True)
class Filter:
    """Which dead jobs. An option that is left out asks nothing.

    job_ids: these. task: this task; with a ``*`` at its end, all whose names begin like that. queue, subject: exactly.
    error: part of the error or of the reason, in any case. since, until: when the job died, both included.
    limit: the oldest so many. include_quarantined: also those that were replayed QUARANTINE_GENERATION times.
    """

    job_ids: tuple[int, ...] | None = None
    task: str = ""
    queue: str = ""
    error: str = ""
    subject: str = ""
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None
    include_quarantined: bool = False


@dataclass(frozen=True)
class DeadRow:
    """What is needed to replay or discard a dead job, as it was read."""

    job_id: int
    task: str
    queue: str
    args: Any
    generation: int
    reason: str
    error: str
    died_at: datetime


@dataclass(frozen=True)
class Group:
    """Dead jobs of one task and one cause: how many, and the first few."""

    task: str
    cause: str
    count: int
    first_ids: list[int]


@dataclass(frozen=True)
class Shape:
    """Dead jobs whose task, queue and argument names are the same. ``names`` is None where they are no object."""

    task: str
    queue: str
    names: list[str] | None
    count: int
    first_ids: list[int]


def groups(chosen: Filter, *, using: str = "default") -> list[Group]:
    """The chosen jobs by task and cause, the largest group first. One query."""
    return [Group(*row) for row in _grouped(GROUPS, chosen, using)]


def shapes(chosen: Filter, *, using: str = "default") -> list[Shape]:
    """The chosen jobs by what their tasks would be called with. One query."""
    return [Shape(*row) for row in _grouped(SHAPES, chosen, using)]


def count_quarantined(chosen: Filter, *, using: str = "default") -> int:
    """How many jobs the filter matches that are in quarantine, whatever its limit. One query."""
    conditions, values = _conditions(replace(chosen, include_quarantined=True))
    conditions["from_generation"] = QUARANTINE_GENERATION
    values["from_generation"] = QUARANTINE_GENERATION
    ((found,),) = run(using, _statement(COUNT, conditions), values)
    return int(found)


def pages(chosen: Filter, *, size: int, using: str = "default") -> Iterator[list[DeadRow]]:
    """The chosen jobs, oldest first, up to ``size`` at a time. One query each."""
    conditions, values = _conditions(chosen)
    left = chosen.limit
    while left is None or left > 0:
        values["limit"] = size if left is None else min(size, left)
        page = [_row(row) for row in run(using, _statement(CHOSEN, conditions), values)]
        if not page:
            return
        yield page
        conditions["after"] = True
        values["after_at"], values["after_id"] = page[-1].died_at, page[-1].job_id
        left = None if left is None else left - len(page)


def _grouped(statement: str, chosen: Filter, using: str) -> list[tuple[Any, ...]]:
    conditions, values = _conditions(chosen)
    text = statement.replace("{chosen}", _statement(CHOSEN, conditions))
    return run(using, text, {**values, "limit": chosen.limit, "first": FIRST_IDS})


def _conditions(chosen: Filter) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that ask something, and their values."""
    asked: dict[str, Any] = {
        "job_ids": None if chosen.job_ids is None else list(chosen.job_ids),
        "task": "" if chosen.task.endswith("*") else chosen.task,
        "task_prefix": chosen.task.removesuffix("*") if chosen.task.endswith("*") else "",
        "queue": chosen.queue,
        "error": chosen.error,
        "subject": chosen.subject,
        "since": chosen.since,
        "until": chosen.until,
        "below_generation": None if chosen.include_quarantined else QUARANTINE_GENERATION,
    }
    asked = {name: value for name, value in asked.items() if value is not None and value != ""}
    return asked, dict(asked)


def _statement(statement: str, conditions: dict[str, Any]) -> str:
    # Only the constants above are put together here; all values are parameters.
    return statement.replace("{conditions}", " AND ".join(["true", *(CONDITIONS[name] for name in conditions)]))


def _row(row: tuple[Any, ...]) -> DeadRow:
    job_id, task, queue, args, *rest = row
    # Django has psycopg return jsonb as text.
    return DeadRow(job_id, task, queue, json.loads(args), *rest)
