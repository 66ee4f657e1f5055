"""Put all seats back that many holds bought, because their show will not take place."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory.ask_for_count import ask_for_count
from inventory.statements import rows_of
from inventory.transitions import MARK_SHOWS

# sold → available, for all seats of these holds. By seat_by_hold. See Note [Order of locks] for the sorted inner
# SELECT, and Note [Marks].
RETURN_ALL_SEATS = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM inventory_seat WHERE hold_id = ANY(%(hold_ids)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
    ), changed AS (
        UPDATE inventory_seat AS seat
           SET status = 'available', hold_id = NULL, version = version + 1
          FROM locked
         WHERE seat.id = locked.id AND seat.hold_id = ANY(%(hold_ids)s::bigint[]) AND seat.status = 'sold'
        RETURNING seat.show_id
    ), {MARK_SHOWS}
"""  # noqa: S608


def return_all_seats(*, hold_ids: Sequence[int]) -> int:
    """Free whatever is sold to these holds, and return how many; their versions grow. The holds stay confirmed.

    Part of the caller's transaction. Raises TransactionManagementError outside one.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Return seats inside the transaction that takes their tickets back.")
    returned: dict[int, int] = dict(rows_of(RETURN_ALL_SEATS, hold_ids=list(hold_ids)))
    ask_for_count(show_ids=returned)
    return sum(returned.values())
