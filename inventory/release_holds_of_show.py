"""Give the seats of all holds of a show back, because it will not take place."""

from __future__ import annotations

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory import transitions
from inventory.statements import rows_of

# active → released, whoever holds them and whether or not their time has run out. See Note [Order of locks]. By the
# partial index hold_active_by_expiry, which holds active rows only, or the foreign key's.
RELEASE_HOLDS_OF_SHOW = """
    WITH locked AS MATERIALIZED (
        SELECT id FROM inventory_hold WHERE show_id = %(show_id)s AND status = 'active' ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE inventory_hold AS hold SET status = 'released'
      FROM locked WHERE hold.id = locked.id AND hold.status = 'active'
    RETURNING hold.id
"""


def release_holds_of_show(*, show_id: int) -> list[int]:
    """Release all active holds of the show and free their seats; returns the holds' ids. Two statements.

    Part of the caller's transaction, who has locked the show, so that no new one can start. Raises
    TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Release a show's holds inside the transaction that stops its sale.")
    released = [hold_id for (hold_id,) in rows_of(RELEASE_HOLDS_OF_SHOW, show_id=show_id)]
    if released:
        transitions.free_seats(hold_ids=released)
    return released
