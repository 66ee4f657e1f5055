"""The one place where a lapsed hold ends, whoever came upon it: a fan, the job at its end, or the sweeper."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory import transitions
from inventory.metrics import Way, note_expired


def end_lapsed_holds(*, hold_ids: Sequence[int], way: Way) -> list[int]:
    """Expire those of the holds that have lapsed and free their seats; returns their ids.

    The caller has locked them and owns the transaction. However many come upon a hold at once, the conditional UPDATE
    lets one of them end it, and he counts it when he has committed. Raises TransactionManagementError outside a
    transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("End holds inside the transaction that has locked them.")
    ended = transitions.expire_holds(hold_ids=hold_ids)
    if ended:
        transitions.free_seats(hold_ids=ended)
        note_expired(way=way, holds=len(ended))
    return ended
