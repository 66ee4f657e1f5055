"""The items that need a human: all that is wrong now, less what somebody has settled, with who has taken it.

An owner counts while the cause that he took is there: what began after he took it is new, and nobody's. What was
settled is shown again when it became worse after that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from boxoffice.attention.kinds import KINDS, PARAMETERS, Kind, causes_of

PAGE = 50
"""Items on one page."""

MOST_COUNTED = 1_000
"""Further than that nobody counts."""

OPEN = """
    WITH causes AS ({causes}), items AS (
        SELECT c.kind, c.key, c.since, c.last_at, c.order_id, c.jobs,
               CASE WHEN a.taken_at >= c.since THEN a.owner ELSE '' END AS owner, a.taken_at
          FROM causes AS c LEFT JOIN boxoffice_attention AS a ON a.kind = c.kind AND a.key = left(c.key, 400)
         WHERE a.settled_at IS NULL OR a.settled_at < c.last_at
    )
"""
LIST = f"""
    {OPEN} SELECT kind, left(key, 400), since, order_id, jobs, coalesce(owner, ''), taken_at, count(*) OVER ()
      FROM items
     WHERE (%(whose)s = '' OR %(whose)s = 'nobody' AND coalesce(owner, '') = ''
            OR %(whose)s = 'mine' AND owner = %(user)s)
     ORDER BY since, kind, key LIMIT %(limit)s OFFSET %(offset)s
"""  # noqa: S608
COUNT = f"{OPEN} SELECT kind, count(*), count(*) FILTER (WHERE coalesce(owner, '') = '') FROM items GROUP BY kind"  # noqa: S608
ONE = f"""
    {OPEN} SELECT kind, left(key, 400), since, order_id, jobs, coalesce(owner, ''), taken_at, 1
      FROM items WHERE left(key, 400) = %(key)s
"""  # noqa: S608

MOST_DEAD = 5_000
"""Dead jobs whose orders are listed, those that died last. Who has more of them mends their cause and replays them by
groups; a list of so many orders would only make everybody wait."""

# The orders behind all of that: what the filter of the list of orders shows. Dead jobs are items by their cause, and
# what they are about stands on each of them. By job_dead and the unique codes: OFFSET 0 keeps PostgreSQL from reading
# all orders for that.
ORDERS = f"""
    {OPEN}
    SELECT order_id FROM items WHERE order_id IS NOT NULL
    UNION
    SELECT o.id
      FROM (SELECT subject FROM jobs_job WHERE state = 'dead' ORDER BY finished_at DESC LIMIT {MOST_DEAD}) AS j
     CROSS JOIN LATERAL (SELECT id FROM boxoffice_order WHERE code = substr(j.subject, 7) OFFSET 0) AS o
     WHERE starts_with(j.subject, 'order:')
"""  # noqa: S608

# By job_dead.
MORE_DEAD = f"SELECT EXISTS (SELECT FROM jobs_job WHERE state = 'dead' OFFSET {MOST_DEAD} LIMIT 1)"  # noqa: S608


@dataclass(frozen=True)
class Item:
    """One thing that a human must look at. jobs: how many rows are behind it. owner: who has taken it, or empty."""

    kind: str
    key: str
    since: datetime
    order_id: int | None
    jobs: int
    owner: str
    taken_at: datetime | None


@dataclass(frozen=True)
class Found:
    """A page of items, the oldest first, and how many there are in all."""

    items: Sequence[Item]
    total: int


def find_items(*, kinds: Sequence[Kind], whose: str = "", user: str = "", offset: int = 0) -> Found:
    """The items of these kinds. One query.

    whose: ``nobody`` for what nobody has taken, ``mine`` for what ``user`` has, empty for all.
    """
    if not kinds:
        return Found((), 0)
    values = {"whose": whose, "user": user, "limit": PAGE, "offset": offset}
    rows = _rows(LIST, kinds, values)
    return Found([Item(*row[:-1]) for row in rows], rows[0][-1] if rows else 0)


def count_items(*, kinds: Sequence[Kind]) -> dict[str, tuple[int, int]]:
    """How many items of each kind there are, and how many of them nobody has taken. One query."""
    return {kind: (count, free) for kind, count, free in _rows(COUNT, kinds, {})} if kinds else {}


def find_item(*, kind: Kind, key: str) -> Item | None:
    """One item, or None when its cause is gone or it was settled. One query."""
    for row in _rows(ONE, [kind], {"key": key}):
        return Item(*row[:-1])
    return None


def orders_in_need() -> tuple[str, list[Any]]:
    """A statement of the ids of orders that need a human, and its parameters in their order. Of dead jobs it looks at
    the MOST_DEAD that died last.
    """
    about_orders = [kind for kind in KINDS if kind.name not in ("dead_jobs", "schedules", "promises")]
    statement = ORDERS.replace("{causes}", causes_of(about_orders))
    return _PARAMETER.sub("%s", statement), [PARAMETERS[name] for name in _PARAMETER.findall(statement)]


def has_more_dead_jobs() -> bool:
    """Whether there are more dead jobs than ``orders_in_need`` looks at. One query."""
    with connection.cursor() as cursor:
        cursor.execute(MORE_DEAD)
        return bool(cursor.fetchone()[0])


_PARAMETER = re.compile(r"%\((\w+)\)s")


def _rows(statement: str, kinds: Sequence[Kind], values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("{causes}", causes_of(kinds)), {**PARAMETERS, **values})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
