"""Count what a show has sold, from its orders, for the dashboard.

Guarantee: what is stored is never older than what was stored before, however many count at once, and a change whose
mark is gone is in it. Counting again changes nothing: it is the orders that are counted, and not the changes.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import connection, transaction

from boxoffice.sales.metrics import LAG_SECONDS
from boxoffice.sales.statements import FIGURES, KEY, TAKINGS_OF_ORDERS
from jobs.new_job import require_transaction

# Who counts a show second sees at least what the first one saw. A statement of its own: the next one looks anew.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('boxoffice_sales ' || %(show_id)s, 0))"

# In one statement, so that the marks that go are exactly those of changes that the count sees. A row that has not
# changed is not written. By takings_once and sales_change_by_show; reading the orders: see TAKINGS_OF_ORDERS.
COUNT_TAKINGS = f"""
    WITH seen AS (
        DELETE FROM boxoffice_saleschange WHERE show_id = %(show_id)s RETURNING at
    ), counted AS (
        {TAKINGS_OF_ORDERS}
    ), gone AS (
        DELETE FROM boxoffice_takings AS held
         WHERE held.show_id = %(show_id)s
           AND ({KEY}) NOT IN (SELECT {KEY} FROM counted)
    ), written AS (
        INSERT INTO boxoffice_takings AS held ({KEY}, {FIGURES})
        SELECT {KEY}, {FIGURES} FROM counted
        ON CONFLICT ({KEY}) DO UPDATE
           SET ({FIGURES}) = (excluded.sold, excluded.gross, excluded.given_back, excluded.refunded)
         WHERE (held.sold, held.gross, held.given_back, held.refunded)
               IS DISTINCT FROM (excluded.sold, excluded.gross, excluded.given_back, excluded.refunded)
    )
    INSERT INTO boxoffice_salescount AS held (show_id, as_of, version)
    SELECT id, jobs_now(), 1 FROM inventory_show WHERE id = %(show_id)s
    ON CONFLICT (show_id) DO UPDATE SET as_of = excluded.as_of, version = held.version + 1
    RETURNING as_of - (SELECT min(at) FROM seen)
"""  # noqa: S608

# By seat_guid_once_per_show.
COUNT_SEATS = """
    INSERT INTO boxoffice_tierseats AS held (tier_id, show_id, total, sold, blocked)
    SELECT tier.id, tier.show_id, count(seat.id), count(*) FILTER (WHERE seat.status = 'sold'),
           count(*) FILTER (WHERE seat.status = 'blocked')
      FROM inventory_pricetier AS tier
      LEFT JOIN inventory_seat AS seat ON seat.tier_id = tier.id AND seat.show_id = tier.show_id
     WHERE tier.show_id = %(show_id)s
     GROUP BY tier.id
    ON CONFLICT (tier_id) DO UPDATE SET total = excluded.total, sold = excluded.sold, blocked = excluded.blocked
     WHERE (held.total, held.sold, held.blocked) IS DISTINCT FROM (excluded.total, excluded.sold, excluded.blocked)
"""

# Holds stay, so days only grow. By the foreign key's index of holds, hold_by_follows and order_by_show.
COUNT_CONVERSION = """
    INSERT INTO boxoffice_salesday AS held (show_id, day, holds, orders, paid)
    SELECT hold.show_id, (hold.created_at AT TIME ZONE venue.time_zone)::date AS day,
           count(*), count(o.id), count(o.confirmed_at)
      FROM inventory_hold AS hold
      JOIN inventory_show AS show ON show.id = hold.show_id
      JOIN inventory_venue AS venue ON venue.id = show.venue_id
      LEFT JOIN boxoffice_order AS o ON o.hold_id = hold.id AND o.show_id = hold.show_id
     WHERE hold.show_id = %(show_id)s
       AND (o.id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM inventory_hold WHERE follows_id = hold.id))
     GROUP BY hold.show_id, 2
    ON CONFLICT (show_id, day) DO UPDATE SET holds = excluded.holds, orders = excluded.orders, paid = excluded.paid
     WHERE (held.holds, held.orders, held.paid) IS DISTINCT FROM (excluded.holds, excluded.orders, excluded.paid)
"""


def count_sales(*, show_id: int) -> timedelta | None:
    """Store what the show has sold, how its seats stand, and what became of its holds. Part of the caller's
    transaction.

    Returns how long the oldest change had waited to be counted; None where there was none. Nothing happens for a show
    that is gone. Four statements, whatever has happened. Raises NotInTransaction.
    """
    require_transaction(using="default")
    values: dict[str, Any] = {"show_id": show_id, "show_ids": [show_id]}
    with connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME, values)
        cursor.execute(COUNT_TAKINGS, values)
        row: tuple[timedelta | None] | None = cursor.fetchone()
        cursor.execute(COUNT_SEATS, values)
        cursor.execute(COUNT_CONVERSION, values)
    if row is None or (lag := row[0]) is None:
        return None
    transaction.on_commit(partial(LAG_SECONDS.observe, max(lag.total_seconds(), 0.0)), robust=True)
    return lag
