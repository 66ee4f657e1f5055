"""Count what is free of a show, for the pages that show many.

Guarantee: what is stored is never older than what was stored before, however many count at once; and a change whose
mark is gone is in it.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from django.db import connection, transaction

from inventory.metrics import AVAILABILITY_LAG_SECONDS
from jobs.new_job import require_transaction

# Who counts a show second sees at least what the first one saw. A statement of its own: the next one looks anew.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('inventory_availability ' || %(show_id)s, 0))"

# In one statement, so that the marks that go are exactly those of changes that the count sees: a change that commits
# later keeps its mark. What is free is told by conditions.seat_is_free. By seat_guid_once_per_show and
# seat_change_by_show.
COUNT = """
    WITH seen AS (
        DELETE FROM inventory_seatchange WHERE show_id = %(show_id)s RETURNING at
    ), counted AS (
        SELECT count(*) FILTER (WHERE is_free) AS free, count(*) AS total,
               min(tier.price) FILTER (WHERE is_free) AS price_from
          FROM inventory_seat AS seat
          JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
          LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id AND seat.status = 'held'
         CROSS JOIN LATERAL (
               SELECT seat.status = 'available' OR (seat.status = 'held' AND hold.expires_at <= jobs_now()) AS is_free
         ) AS state
         WHERE seat.show_id = %(show_id)s
    )
    INSERT INTO inventory_availability AS held (show_id, free, total, price_from, as_of, version)
    SELECT show.id, free, total, price_from, jobs_now(), 1
      FROM inventory_show AS show, counted WHERE show.id = %(show_id)s
    ON CONFLICT (show_id) DO UPDATE
       SET free = excluded.free, total = excluded.total, price_from = excluded.price_from, as_of = excluded.as_of,
           version = held.version + 1
    RETURNING as_of - (SELECT min(at) FROM seen)
"""


def count_free_seats(*, show_id: int) -> timedelta | None:
    """Store how many seats of the show are free and the cheapest price among them. Part of the caller's transaction.

    Returns how long the oldest change had waited to be counted; None where there was none. Nothing happens for a show
    that is gone. Two queries: a hall of 12,000 takes some milliseconds. Raises NotInTransaction.
    """
    require_transaction(using="default")
    with connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME, {"show_id": show_id})
        cursor.execute(COUNT, {"show_id": show_id})
        row: tuple[timedelta | None] | None = cursor.fetchone()
    if row is None or (lag := row[0]) is None:
        return None
    transaction.on_commit(partial(AVAILABILITY_LAG_SECONDS.observe, max(lag.total_seconds(), 0.0)), robust=True)
    return lag
