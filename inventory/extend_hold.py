"""A few minutes more for a fan who needs them, once."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from inventory import hold_transitions
from inventory.conditions import hold_is_open
from inventory.errors import HoldExpired, HoldNotActive, UnknownHold
from inventory.models import Hold

EXTENSION = timedelta(minutes=5)
"""Long enough to look for a card in the next room; half a hold, since others wait for what is not bought."""


def extend_hold(*, token: UUID) -> bool:
    """Let the hold with this token end EXTENSION later; returns whether this call did it. Opens its own transaction.

    Pressed twice, or twice at once, it extends once (False the second time). The job for the hold's end need not know:
    it reads the new end and comes again (``expire_hold``). Raises UnknownHold, HoldExpired for one whose time is over,
    whether or not any job has run, and HoldNotActive for one that was bought or given back.
    """
    with transaction.atomic():
        if hold_transitions.extend(token=token, by=EXTENSION) is not None:
            return True
    hold = Hold.objects.filter(token=token).first()
    if hold is None:
        raise UnknownHold
    if hold.status in (Hold.Status.CONFIRMED, Hold.Status.RELEASED):
        raise HoldNotActive
    if hold.status == Hold.Status.EXPIRED or not Hold.objects.filter(hold_is_open(), pk=hold.pk).exists():
        raise HoldExpired
    return False
