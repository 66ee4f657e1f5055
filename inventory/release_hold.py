"""Give the seats of a hold back before its time is over."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from inventory import transitions
from inventory.errors import HoldNotActive, UnknownHold
from inventory.models import Hold


def release_hold(*, token: UUID) -> bool:
    """Free the seats of the hold with this token; returns whether this call did it. Opens its own transaction.

    A hold that is released or expired already stays as it is (False), so pressing twice does no harm. Raises
    UnknownHold, and HoldNotActive for a hold whose seats are sold.
    """
    with transaction.atomic():
        hold_id = transitions.release_hold(token=token)
        if hold_id is not None:
            transitions.free_seats(hold_ids=[hold_id])
            return True
    status = Hold.objects.filter(token=token).values_list("status", flat=True).first()
    if status is None:
        raise UnknownHold
    if status == Hold.Status.CONFIRMED:
        raise HoldNotActive
    return False
