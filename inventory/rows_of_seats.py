"""How a hall stands row by row: what a page can show of twelve thousand places at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from django.db import connection

# One row for each row of the hall and tier in it, in the order of the plan. A seat is free as conditions.seat_is_free
# says. By seat_guid_once_per_show and hold_active_by_expiry.
ROWS_OF_SHOW = """
    WITH lapsed AS MATERIALIZED (
        SELECT id FROM inventory_hold WHERE status = 'active' AND expires_at <= jobs_now()
    )
    SELECT zone, "row", tier_id, min(position) AS first, max(position) AS last, count(*),
           count(*) FILTER (WHERE status = 'available' OR status = 'held' AND hold_id IN (SELECT id FROM lapsed)),
           bool_or(btrim(number) <> '')
      FROM inventory_seat WHERE show_id = %(show_id)s
     GROUP BY zone, "row", tier_id
     ORDER BY first
"""

# The same for a plan in which a name comes back after other rows: each stretch of seats of one name is a row of its
# own. It sorts all seats first and takes three times as long.
STRETCHES_OF_SHOW = ROWS_OF_SHOW.replace(
    "FROM inventory_seat WHERE show_id = %(show_id)s",
    """FROM (
               SELECT zone, "row", tier_id, position, status, hold_id, number,
                      position - row_number() OVER (PARTITION BY zone, "row" ORDER BY position) AS stretch
                 FROM inventory_seat WHERE show_id = %(show_id)s
           ) AS seat""",
).replace('GROUP BY zone, "row", tier_id', 'GROUP BY zone, "row", stretch, tier_id')


class RowOfSeats(NamedTuple):
    """The seats of one tier in one row. first, last: their positions in the plan, others may lie between.

    numbered: some have a number; a zone whose rows have none is a standing area.
    """

    zone: str
    row: str
    tier_id: int
    first: int
    last: int
    total: int
    free: int
    numbered: bool


def rows_of_show(*, show_id: int) -> list[RowOfSeats]:
    """All rows of the show, none of which lies between the seats of another one. One query, which reads each seat once;
    two for a plan in which rows of one name do not stand together."""
    rows = _read(ROWS_OF_SHOW, show_id)
    return _read(STRETCHES_OF_SHOW, show_id) if _overlap(rows) else rows


def _read(query: str, show_id: int) -> list[RowOfSeats]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"show_id": show_id})
        return [RowOfSeats._make(row) for row in cursor.fetchall()]


def _overlap(rows: Sequence[RowOfSeats]) -> bool:
    """Whether a row begins before the one before it has ended; seats of several tiers in one row may take turns."""
    last = 0
    for _name, group in groupby(rows, key=lambda row: (row.zone, row.row)):
        of_one_name = list(group)
        if of_one_name[0].first < last:
            return True
        last = max(row.last for row in of_one_name)
    return False
