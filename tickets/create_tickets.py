"""Creating an order's tickets while it is being confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection

from inventory.models import Seat
from jobs.errors import NotInTransaction
from tickets.codes import new_code
from tickets.models import Ticket

# One round trip for any number of seats. A code that is taken already (one in a million for a million tickets) skips
# its row and a new one is drawn; a seat that has a live ticket is an error and fails the transaction.
INSERT_TICKETS = """
    INSERT INTO tickets_ticket (order_id, order_code, holder_name, language, show_id, seat_id, code)
    SELECT %(order_id)s, %(order_code)s, %(holder_name)s, %(language)s, row.show_id, row.seat_id, row.code
    FROM unnest(%(show_ids)s::bigint[], %(seat_ids)s::bigint[], %(codes)s::text[])
         WITH ORDINALITY AS row (show_id, seat_id, code, place)
    ORDER BY row.place
    ON CONFLICT (code) DO NOTHING
    RETURNING id, seat_id, code, status, void_reason, created_at
"""


def create_tickets(
    *, order_id: int, order_code: str, holder_name: str, seats: Sequence[Seat], language: str = ""
) -> list[Ticket]:
    """Create one pending ticket for each seat and return them in the order of ``seats``. One query.

    language: the language that the tickets are printed in; the site's own when empty.

    Raises NotInTransaction outside a transaction: tickets exist if and only if the order is confirmed. A seat that
    has a ticket already that is not void raises IntegrityError, and nothing is sold.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Create tickets inside the transaction that confirms their order.")
    shared: dict[str, Any] = {
        "order_id": order_id,
        "order_code": order_code,
        "holder_name": holder_name,
        "language": language or settings.LANGUAGE_CODE,
    }
    created: dict[int, Ticket] = {}
    missing = list(seats)
    while missing:
        rows: dict[str, Any] = {
            "show_ids": [seat.show_id for seat in missing],
            "seat_ids": [seat.pk for seat in missing],
            "codes": [new_code() for _ in missing],
        }
        with connection.cursor() as cursor:
            cursor.execute(INSERT_TICKETS, shared | rows)
            returned = cursor.fetchall()
        by_id = {seat.pk: seat for seat in missing}
        for pk, seat_id, code, status, void_reason, created_at in returned:
            created[seat_id] = Ticket(
                id=pk,
                seat=by_id[seat_id],
                show_id=by_id[seat_id].show_id,
                code=code,
                status=status,
                void_reason=void_reason,
                created_at=created_at,
                **shared,
            )
        missing = [seat for seat in missing if seat.pk not in created]
    return [created[seat.pk] for seat in seats]
