"""Put sold seats back on sale."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory.ask_for_count import ask_for_count
from inventory.transitions import MARK_SHOWS

# sold → available, for seats that this hold bought. By primary key. See Note [Order of locks] for the sorted inner
# SELECT, and Note [Marks].
RETURN_SEATS = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM inventory_seat WHERE id = ANY(%(seat_ids)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
    ), changed AS (
        UPDATE inventory_seat AS seat
           SET status = 'available', hold_id = NULL, version = version + 1
          FROM locked
         WHERE seat.id = locked.id AND seat.hold_id = %(hold_id)s AND seat.status = 'sold'
        RETURNING seat.show_id
    ), {MARK_SHOWS}
"""  # noqa: S608


def return_seats(*, hold_id: int, seat_ids: Sequence[int]) -> int:
    """Free those of the seats that are sold to this hold, and return how many; their versions grow.

    Part of the caller's transaction, who decides what it means when they are fewer than he thought. The hold stays
    confirmed. Raises TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Return seats inside the transaction that takes their tickets back.")
    with connection.cursor() as cursor:
        cursor.execute(RETURN_SEATS, {"hold_id": hold_id, "seat_ids": list(seat_ids)})
        returned: dict[int, int] = dict(cursor.fetchall())
    ask_for_count(show_ids=returned)
    return sum(returned.values())
