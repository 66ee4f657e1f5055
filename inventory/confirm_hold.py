"""Turn a hold into a sale."""

from __future__ import annotations

from django.db import connection
from django.db.transaction import TransactionManagementError

from inventory import transitions
from inventory.conditions import hold_is_open
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive, InventoryError, UnknownHold
from inventory.models import Hold, Seat


def confirm_hold(*, hold_id: int) -> list[Seat]:
    """Sell the seats of an active hold; returns them in the order of the plan, without their tiers.

    Part of the caller's transaction, which must roll back when this raises: UnknownHold, HoldExpired (by the
    database's clock, whether or not any job has marked the hold), HoldNotActive (confirmed or released before),
    HoldIncomplete (fewer seats than the hold promised). Raises TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Confirm a hold inside the transaction of the order that it belongs to.")
    promised = transitions.confirm_hold(hold_id=hold_id)
    if promised is None:
        raise _why_not(hold_id)
    seats = transitions.sell_seats(hold_id=hold_id)
    if len(seats) != promised:
        raise HoldIncomplete
    return seats


def _why_not(hold_id: int) -> InventoryError:
    hold = Hold.objects.filter(pk=hold_id).first()
    if hold is None:
        return UnknownHold()
    lapsed = hold.status == Hold.Status.ACTIVE and not Hold.objects.filter(hold_is_open(), pk=hold_id).exists()
    if lapsed or hold.status == Hold.Status.EXPIRED:
        return HoldExpired()
    return HoldNotActive()
