"""The items that need a human: all that is wrong now, less what somebody has settled, with who has taken it.

An owner counts while the cause that he took is there: what began after he took it is new, and nobody's. What was
settled is shown again when it became worse after that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from boxoffice.attention.kinds import KINDS, MOST_LISTED, PARAMETERS, Kind, open_items

PAGE = 50
"""Items on one page."""

MOST = 300
"""Items of one kind that are counted and listed: who has more mends their cause, and does not go through them."""

MOST_IN_HEADER = 100
"""The same for the number on each page of the desk."""

LIST = """
    SELECT kind, key, since, order_id, jobs, owner, taken_at, count(*) OVER () FROM ({items}) AS items
     ORDER BY since, kind, key LIMIT %(limit)s OFFSET %(offset)s
"""
COUNT = """
    SELECT kind, count(*), count(*) FILTER (WHERE owner = '') FROM ({items}) AS items GROUP BY kind
"""
ONE = "SELECT kind, key, since, order_id, jobs, owner, taken_at, 1 FROM ({items}) AS items LIMIT 1"

MOST_DEAD = 5_000
"""Dead jobs whose orders are listed, those that died last. Who has more of them mends their cause and replays them by
groups; a list of so many orders would only make everybody wait."""

# The orders behind all of that: what the filter of the list of orders shows. Dead jobs are items by their cause, and
# what they are about stands on each of them. By job_dead and the unique codes: OFFSET 0 keeps PostgreSQL from reading
# all orders for that.
ORDERS = f"""
    SELECT order_id FROM ({{items}}) AS items WHERE order_id IS NOT NULL
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


@dataclass(frozen=True)
class Counted:
    """How many items there are, and how many of them nobody has taken. more: there are more than were counted."""

    count: int
    free: int
    more: bool

    def __str__(self) -> str:
        return f"{self.count}+" if self.more else str(self.count)


def find_items(*, kinds: Sequence[Kind], whose: str = "", user: str = "", offset: int = 0) -> Found:
    """The items of these kinds, MOST of each, or MOST_LISTED of what is somebody's or nobody's. One query.

    whose: ``nobody`` for what nobody has taken, ``mine`` for what ``user`` has, empty for all.
    """
    if not kinds:
        return Found((), 0)
    # Whoever looks for what is his, or nobody's, is not told of the first ones alone, which others may have.
    most = MOST_LISTED if whose else MOST
    values = {"whose": whose, "user": user, "limit": PAGE, "offset": offset, "most": most}
    rows = _rows(LIST, kinds, values)
    return Found([Item(*row[:-1]) for row in rows], rows[0][-1] if rows else 0)


def count_items(*, kinds: Sequence[Kind], most: int = MOST) -> dict[str, Counted]:
    """How many items of each kind there are, counted up to ``most``. One query."""
    if not kinds:
        return {}
    rows = _rows(COUNT, kinds, {"most": most + 1})
    return {kind: Counted(min(count, most), min(free, most), count > most) for kind, count, free in rows}


def sum_of(counts: Iterable[Counted]) -> Counted:
    """The counts of several kinds together. Pure."""
    every = list(counts)
    return Counted(
        sum(each.count for each in every), sum(each.free for each in every), any(each.more for each in every)
    )


def find_item(*, kind: Kind, key: str) -> Item | None:
    """One item, or None when its cause is gone or it was settled. One query."""
    for row in _rows(ONE, [kind], {"key": key, "most": MOST_LISTED}):
        return Item(*row[:-1])
    return None


def orders_in_need() -> tuple[str, list[Any]]:
    """A statement of the ids of orders that need a human, and its parameters in their order. Of dead jobs it looks at
    the MOST_DEAD that died last.
    """
    about_orders = [kind for kind in KINDS if kind.name not in ("dead_jobs", "schedules", "promises")]
    statement = ORDERS.replace("{items}", open_items(about_orders))
    return _PARAMETER.sub("%s", statement), [PARAMETERS[name] for name in _PARAMETER.findall(statement)]


def has_more_dead_jobs() -> bool:
    """Whether there are more dead jobs than ``orders_in_need`` looks at. One query."""
    with connection.cursor() as cursor:
        cursor.execute(MORE_DEAD)
        return bool(cursor.fetchone()[0])


_PARAMETER = re.compile(r"%\((\w+)\)s")


def _rows(statement: str, kinds: Sequence[Kind], values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("{items}", open_items(kinds)), {**PARAMETERS, **values})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
