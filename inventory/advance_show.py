"""Take a show to its next state."""

from __future__ import annotations

from django.db import transaction

from inventory import transitions
from inventory.errors import TransitionRefused, UnknownShow
from inventory.models import Show
from inventory.open_sale import forget_openings, note_open_from_the_start
from inventory.plan_sale_opening import plan_sale_opening


def advance_show(*, show_id: int, to: Show.Status, seen: int | None = None) -> None:
    """Schedule a draft, postpone a scheduled show, schedule a postponed one again, or end or cancel it.

    Its holds stay as they are; no new one can start unless it is scheduled. A scheduled show whose sale is still to
    open gets the job that waits for it; the job of one that is stopped finds nothing to do. seen: the version that
    somebody looked at. Raises UnknownShow, and TransitionRefused where there is no way to this state from its present
    one, or it has changed since it was looked at. One transaction.
    """
    scheduled = to == Show.Status.SCHEDULED
    with transaction.atomic():
        if scheduled:
            note_open_from_the_start(show_id=show_id)
        if transitions.advance_show(show_id=show_id, to=to, seen=seen):
            if scheduled:
                plan_sale_opening(show_id=show_id)
            if to == Show.Status.POSTPONED:
                forget_openings(show_id=show_id)
            return
    if not Show.objects.filter(pk=show_id).exists():
        raise UnknownShow
    raise TransitionRefused
