"""Which dead jobs are meant: a filter, and one statement that it becomes.

Everything here reads. However many jobs a filter matches, they are read page by page, oldest first, and counted by
the database. The generation that was read guards every later write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
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
    "cause": "died_of = %(cause)s",
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
    SELECT id, task, queue, args, generation, reason, error, died_of, finished_at
    FROM jobs_job WHERE state = 'dead' AND {conditions}
    ORDER BY finished_at, id LIMIT %(limit)s
"""

# What is told of all that died of the same. Subjects are told apart by a number of 64 bits, which sorts five times
# faster than their text. Without other conditions than task and cause it reads job_dead_by_cause and no row.
GROUPS = """
    WITH chosen AS (
        SELECT id, task, died_of, generation, subject, finished_at FROM jobs_job
        WHERE state = 'dead' AND {conditions} {oldest}
    )
    SELECT task, died_of, count(*), (array_agg(id ORDER BY finished_at, id))[1:%(first)s],
           min(finished_at), max(finished_at),
           count(DISTINCT hashtextextended(subject, 0)) FILTER (WHERE subject <> ''),
           count(*) FILTER (WHERE generation >= %(quarantine)s)
    FROM chosen GROUP BY task, died_of ORDER BY 3 DESC, 1, 2
"""
OLDEST = "ORDER BY finished_at, id LIMIT %(limit)s"

# What the newest jobs of some groups are about. A few jobs of one order stand together, so that it looks at more than
# it names. Uses job_dead_by_cause.
NEWEST_SUBJECTS = """
    SELECT named.task, named.cause, ARRAY(
        SELECT subject FROM (
            SELECT subject, finished_at, id FROM jobs_job
            WHERE state = 'dead' AND task = named.task AND died_of = named.cause AND subject <> '' AND {conditions}
            ORDER BY finished_at DESC, id DESC LIMIT %(look_at)s
        ) AS newest GROUP BY subject ORDER BY max(finished_at) DESC, max(id) DESC LIMIT %(most)s
    ) FROM unnest(%(tasks)s::text[], %(causes)s::text[]) AS named (task, cause)
"""

# Jobs that the same task would be called for with the same names of arguments stand or fall together.
SHAPES = """
    WITH chosen AS (
        SELECT id, task, queue, args, finished_at FROM jobs_job WHERE state = 'dead' AND {conditions} {oldest}
    )
    SELECT task, queue,
           CASE WHEN jsonb_typeof(args) = 'object' THEN ARRAY(SELECT jsonb_object_keys(args) ORDER BY 1) END AS names,
           count(*), (array_agg(id ORDER BY finished_at, id))[1:%(first)s]
    FROM chosen GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""

COUNT = "SELECT count(*) FROM jobs_job WHERE state = 'dead' AND {conditions}"


COUNT_BY_CAUSE = """
    SELECT task, died_of, count(*) FROM jobs_job
    WHERE state = 'dead' AND (task, died_of) IN (SELECT * FROM unnest(%(tasks)s::text[], %(causes)s::text[]))
    GROUP BY task, died_of
"""


@dataclass(frozen=True)
class Filter:
    """Which dead jobs. An option that is left out asks nothing.

    job_ids: these. task: this task; with a ``*`` at its end, all whose names begin like that. queue, subject: exactly.
    cause: exactly this one, as ``shared_cause.py`` makes it of an error.
    error: part of the error or of the reason, in any case. since, until: when the job died, both included.
    limit: the oldest so many. include_quarantined: also those that were replayed QUARANTINE_GENERATION times.
    """

    job_ids: tuple[int, ...] | None = None
    task: str = ""
    cause: str = ""
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
    cause: str
    died_at: datetime


@dataclass(frozen=True)
class Group:
    """Dead jobs of one task and one cause: how many, the first few, and when the first and the last of them died.

    subjects: how many orders and other things they are about. quarantined: how many need a second thought.
    """

    task: str
    cause: str
    count: int
    first_ids: list[int]
    first_at: datetime
    last_at: datetime
    subjects: int
    quarantined: int


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


def newest_subjects(
    chosen: Filter, shown: Sequence[Group], *, most: int, using: str = "default"
) -> dict[tuple[str, str], list[str]]:
    """What the newest jobs of these groups are about, up to ``most`` each, by task and cause. One query."""
    conditions, values = _conditions(chosen)
    asked = {
        **values,
        "tasks": [group.task for group in shown],
        "causes": [group.cause for group in shown],
        "most": most,
        "look_at": most * 10,
    }
    return {
        (task, cause): subjects for task, cause, subjects in run(using, _statement(NEWEST_SUBJECTS, conditions), asked)
    }


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


def count_by_cause(named: Sequence[tuple[str, str]], *, using: str = "default") -> dict[tuple[str, str], int]:
    """How many dead jobs there are of these tasks and causes. One query, by job_dead_by_cause."""
    values = {"tasks": [task for task, _cause in named], "causes": [cause for _task, cause in named]}
    return {(task, cause): found for task, cause, found in run(using, COUNT_BY_CAUSE, values)}


def count_chosen(chosen: Filter, *, using: str = "default") -> int:
    """How many jobs the filter matches. One query."""
    conditions, values = _conditions(chosen)
    ((found,),) = run(using, _statement(COUNT, conditions), values)
    return int(found) if chosen.limit is None else min(int(found), chosen.limit)


def pages(
    chosen: Filter, *, size: int, after: tuple[datetime, int] | None = None, using: str = "default"
) -> Iterator[list[DeadRow]]:
    """The chosen jobs, oldest first, up to ``size`` at a time. One query each.

    after: when the job died behind which to begin, and its number.
    """
    conditions, values = _conditions(chosen)
    if after is not None:
        conditions["after"] = True
        values["after_at"], values["after_id"] = after
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
    text = _statement(statement.replace("{oldest}", OLDEST if chosen.limit is not None else ""), conditions)
    asked = {**values, "limit": chosen.limit, "first": FIRST_IDS, "quarantine": QUARANTINE_GENERATION}
    return run(using, text, asked)


def _conditions(chosen: Filter) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that ask something, and their values."""
    asked: dict[str, Any] = {
        "job_ids": None if chosen.job_ids is None else list(chosen.job_ids),
        "task": "" if chosen.task.endswith("*") else chosen.task,
        "task_prefix": chosen.task.removesuffix("*") if chosen.task.endswith("*") else "",
        "cause": chosen.cause,
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
