"""Take a show to its next state."""

from __future__ import annotations

from django.db import transaction

from inventory import transitions
from inventory.errors import TransitionRefused, UnknownShow
from inventory.models import Show


def advance_show(*, show_id: int, to: Show.Status) -> None:
    """Schedule a draft, postpone a scheduled show, schedule a postponed one again, or end or cancel it.

    Its holds stay as they are; no new one can start unless it is scheduled. Raises UnknownShow, and
    TransitionRefused where there is no way to this state from its present one. One transaction.
    """
    with transaction.atomic():
        if transitions.advance_show(show_id=show_id, to=to):
            return
    if not Show.objects.filter(pk=show_id).exists():
        raise UnknownShow
    raise TransitionRefused
