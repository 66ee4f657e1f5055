"""Letting the refunds of a cancelled show go on."""

from __future__ import annotations

from django.db import transaction

from boxoffice.cancellation import transitions
from boxoffice.cancellation.errors import NotPaused
from boxoffice.cancellation.hold_refunds import ask_to_hold_or_let_go
from boxoffice.models import Cancellation, ShowAction
from boxoffice.shows.trail import write_show_action
from jobs.audit import require_reason


def resume_refunds(*, show_id: int, by: str, reason: str) -> Cancellation:
    """Send the refunds of this show again, whoever or whatever paused them. One transaction.

    Where the balance at the provider is still too low, the first that is refused pauses them again. by, reason: kept in
    the show's trail. Raises ReasonMissing and NotPaused.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        cancellation = transitions.resume(show_id=show_id)
        if cancellation is None:
            raise NotPaused
        write_show_action(show_id=show_id, action=ShowAction.Action.RESUME, by=by, reason=reason, details={})
        ask_to_hold_or_let_go(cancellation_id=cancellation.pk, show_id=show_id)
    return cancellation
