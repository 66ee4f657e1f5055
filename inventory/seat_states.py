"""How all seats of a show stand at this moment, as one letter for each."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db import connection

FREE, HELD, SOLD, BLOCKED = "fhsb"

# One row for a show that was announced, whatever it is called now; its letters only while it sells, since nobody may
# choose otherwise. The conditions are those of conditions.show_sells and conditions.seat_is_free: a hold that has
# lapsed holds nothing, whether or not it was swept. By the slug, seat_guid_once_per_show, hold_active_by_expiry.
STATES_OF_SHOW = """
    WITH lapsed AS MATERIALIZED (
        SELECT id FROM inventory_hold WHERE status = 'active' AND expires_at <= jobs_now()
    ), this AS MATERIALIZED (
        SELECT id, status = 'scheduled' AND on_sale_at <= jobs_now() AND starts_at > jobs_now() AS sells
          FROM inventory_show WHERE slug = %(slug)s AND status <> 'draft'
    )
    SELECT this.id, jobs_now(), CASE WHEN this.sells THEN (
        SELECT coalesce(string_agg(CASE seat.status
                   WHEN 'available' THEN 'f'
                   WHEN 'sold' THEN 's'
                   WHEN 'blocked' THEN 'b'
                   ELSE CASE WHEN seat.hold_id IN (SELECT id FROM lapsed) THEN 'f' ELSE 'h' END
               END, '' ORDER BY seat.position), '')
          FROM inventory_seat AS seat WHERE seat.show_id = this.id
    ) END
      FROM this
"""


class SeatStates(NamedTuple):
    """states: a letter for each seat in the order of the plan (f free, h held, s sold, b blocked), or None while the
    show does not sell. as_of: by the database's clock."""

    show_id: int
    as_of: datetime
    states: str | None


def states_of_show(*, slug: str) -> SeatStates | None:
    """The show of this address, or None where there is none and for a draft. One query, which reads each seat once."""
    with connection.cursor() as cursor:
        cursor.execute(STATES_OF_SHOW, {"slug": slug})
        row = cursor.fetchone()
    return None if row is None else SeatStates._make(row)
