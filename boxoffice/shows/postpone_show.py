"""Postponing a show whose new time nobody knows yet, because staff say so. Nobody is told by it."""

from __future__ import annotations

from django.db import transaction

from boxoffice.models import ShowAction
from boxoffice.shows.trail import write_show_action
from inventory.advance_show import advance_show
from inventory.models import Show
from jobs.audit import require_reason


def postpone_show(*, show_id: int, seen: int, by: str, reason: str) -> ShowAction:
    """Stop the sale until the show is put on sale again or moved; returns the entry in its trail. One transaction.

    No mail is written: there is no new time to tell, and moving the show to it tells everybody. seen: the version that
    the page showed. by, reason: kept in the trail.
    Raises ReasonMissing, and from inventory UnknownShow and TransitionRefused.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        advance_show(show_id=show_id, to=Show.Status.POSTPONED, seen=seen)
        return write_show_action(
            show_id=show_id, action=ShowAction.Action.POSTPONE, by=by, reason=reason, details={"version": seen + 1}
        )
