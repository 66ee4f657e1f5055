"""How a hall stands row by row: what a page can show of twelve thousand places at once."""

from __future__ import annotations

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
    """All rows of the show. One query, which reads each seat once."""
    with connection.cursor() as cursor:
        cursor.execute(ROWS_OF_SHOW, {"show_id": show_id})
        return [RowOfSeats._make(row) for row in cursor.fetchall()]
