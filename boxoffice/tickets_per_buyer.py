"""How many tickets of one show an address can get, over all of its orders.

Guarantee: orders of one address that are placed at the same moment do not pass the limit together. They wait for each
other at a lock of their own (of the show and the address), and each counts what the one before it has committed.
"""

from __future__ import annotations

from django.db import connection
from django.db.transaction import TransactionManagementError

from boxoffice.errors import TooManyTickets

MAX_TICKETS_PER_BUYER = 20
"""Two full choices of seats: a family that comes back for its friends. Beyond that somebody sells them on."""

# Held until the transaction ends. Capitals do not make another address.
LOCK_BUYER = """
    SELECT pg_advisory_xact_lock(hashtextextended('tickets of ' || %(show_id)s || ' ' || lower(%(email)s), 0))
"""

# What was sold and not given back, and what waits for its payment while its hold lasts or its payment page is open:
# money that comes late takes the seats again. Its own statement, since one that waits for a lock does not see what was
# committed meanwhile. Index: order_by_buyer, orderline_seat_once, payment_one_open_per_order.
COUNT_TICKETS = """
    SELECT count(*)
      FROM boxoffice_order AS o
      JOIN inventory_hold AS hold ON hold.id = o.hold_id
      JOIN boxoffice_orderline AS line ON line.order_id = o.id
     WHERE o.show_id = %(show_id)s AND lower(o.email) = lower(%(email)s) AND o.id <> %(but)s
       AND line.refunded_at IS NULL
       AND (o.status IN ('confirmed', 'partly_refunded')
            OR o.status = 'pending_payment'
               AND (hold.status = 'active' AND hold.expires_at > jobs_now()
                    OR EXISTS (SELECT 1 FROM boxoffice_payment AS open
                                WHERE open.order_id = o.id AND open.status IN ('created', 'pending'))))
"""


def require_few_tickets(*, show_id: int, email: str, wanted: int, but: int = 0) -> None:
    """Passes where the address may get so many tickets more. Part of the caller's transaction. Two queries.

    but: an order that is not counted. Raises TooManyTickets, and TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Count a buyer's tickets inside the transaction that adds to them.")
    values: dict[str, str | int] = {"show_id": show_id, "email": email, "but": but}
    with connection.cursor() as cursor:
        cursor.execute(LOCK_BUYER, values)
        cursor.execute(COUNT_TICKETS, values)
        (count,) = cursor.fetchone()
    if count + wanted > MAX_TICKETS_PER_BUYER:
        raise TooManyTickets(limit=MAX_TICKETS_PER_BUYER)
