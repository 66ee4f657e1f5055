"""Prove that the takings are those of the orders, exactly, and count anew where they are not.

A show that waits to be counted is left out: it differs, rightly, until then. Every other one must be equal row by row:
by show, day, tier, channel, way of paying and currency. Beside that the sum of its rows must be the sum of its orders'
totals, which nothing here is counted from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import connection, transaction

from boxoffice.sales.count_sales import count_sales
from boxoffice.sales.metrics import DIFFERENCES
from boxoffice.sales.statements import FIGURES, KEY, TAKINGS_OF_ORDERS

log = structlog.get_logger(__name__)

SHOWS_AT_ONCE = 50
"""In one statement: some hundred thousand lines of a large house's orders, in about a second."""

# Rows that are on one side only, or on both with other figures. In one snapshot with the marks: who has none, and
# differs, is wrong. By takings_once and sales_change_by_show; reading the orders: see TAKINGS_OF_ORDERS.
DIFFER = f"""
    WITH orders AS (
        {TAKINGS_OF_ORDERS}
    ), held AS (
        SELECT {KEY}, {FIGURES} FROM boxoffice_takings WHERE show_id = ANY(%(show_ids)s::bigint[])
    )
    SELECT show_id, currency, count(*),
           sum(coalesce(held.sold, 0) - coalesce(orders.sold, 0))::bigint,
           sum(coalesce(held.given_back, 0) - coalesce(orders.given_back, 0))::bigint,
           sum(coalesce(held.gross, 0) - coalesce(orders.gross, 0))::bigint,
           sum(coalesce(held.refunded, 0) - coalesce(orders.refunded, 0))::bigint
      FROM orders FULL JOIN held USING ({KEY})
     WHERE (orders.sold, orders.gross, orders.given_back, orders.refunded)
           IS DISTINCT FROM (held.sold, held.gross, held.given_back, held.refunded)
       AND NOT EXISTS (SELECT 1 FROM boxoffice_saleschange AS mark
                        WHERE mark.show_id = coalesce(orders.show_id, held.show_id))
     GROUP BY show_id, currency
     ORDER BY show_id, currency
"""  # noqa: S608

# By the orders' totals, which lines are not asked about. By order_by_show.
TOTALS_DIFFER = """
    SELECT show_id, currency, held.gross - orders.gross
      FROM (SELECT show_id, currency, sum(total)::bigint AS gross FROM boxoffice_order
             WHERE show_id = ANY(%(show_ids)s::bigint[]) AND confirmed_at IS NOT NULL
             GROUP BY show_id, currency) AS orders
      FULL JOIN (SELECT show_id, currency, sum(gross)::bigint AS gross FROM boxoffice_takings
                  WHERE show_id = ANY(%(show_ids)s::bigint[]) GROUP BY show_id, currency) AS held
           USING (show_id, currency)
     WHERE orders.gross IS DISTINCT FROM held.gross
       AND NOT EXISTS (SELECT 1 FROM boxoffice_saleschange AS mark
                        WHERE mark.show_id = coalesce(orders.show_id, held.show_id))
     ORDER BY show_id, currency
"""

SHOWS = "SELECT id FROM inventory_show ORDER BY id"
MARKED = "SELECT count(DISTINCT show_id) FROM boxoffice_saleschange"


@dataclass(frozen=True)
class Difference:
    """How the takings of a show differ from its orders: how many rows, and by how much they are too high, in seats and
    in the currency's minor unit.
    """

    show_id: int
    currency: str
    rows: int
    sold: int
    given_back: int
    gross: int
    refunded: int


@dataclass(frozen=True)
class Proof:
    """What was found. repaired: how many shows were counted anew. waiting: shows that are to be counted and were left
    out. unlike: shows, with currency and minor units, whose orders' totals are not what their lines cost: nothing that
    counting can repair.
    """

    shows: int
    waiting: int
    differences: Sequence[Difference]
    unlike: Sequence[tuple[int, str, int]]
    repaired: int = 0

    @property
    def holds(self) -> bool:
        """Whether every show is equal to its orders, as found."""
        return not self.differences and not self.unlike


def prove_takings(*, repair: bool = False) -> Proof:
    """Compare all shows with their orders. Opens its own transactions: one for each show that is repaired.

    What is found is logged and counted. Safe to repeat, and while the house sells.
    """
    show_ids = _show_ids()
    differences = [Difference(*row) for row in _in_batches(DIFFER, show_ids)]
    wrong = sorted({difference.show_id for difference in differences})
    for difference in differences:
        log.error("takings_differ", **vars(difference), repaired=repair)
    DIFFERENCES.inc(len(wrong))
    if repair:
        for show_id in wrong:
            with transaction.atomic():
                count_sales(show_id=show_id)
    # What a count will mend, or has not mended, is told above.
    counted = [show_id for show_id in show_ids if repair or show_id not in set(wrong)]
    unlike = list(_in_batches(TOTALS_DIFFER, counted))
    for show_id, currency, amount in unlike:
        log.error("totals_differ_from_lines", show_id=show_id, currency=currency, amount=amount)
    return Proof(
        shows=len(show_ids),
        waiting=_waiting(),
        differences=differences,
        unlike=unlike,
        repaired=len(wrong) if repair else 0,
    )


def _show_ids() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(SHOWS)
        return [show_id for (show_id,) in cursor.fetchall()]


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute(MARKED)
        return int(cursor.fetchone()[0])


def _in_batches(sql: str, show_ids: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(show_ids), SHOWS_AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(sql, {"show_ids": list(show_ids[start : start + SHOWS_AT_ONCE])})
            yield from cursor.fetchall()
