"""Letting the refunds of a cancelled show wait."""

from __future__ import annotations

from django.db import transaction

from boxoffice.cancellation import transitions
from boxoffice.cancellation.errors import ClosedBefore, PausedBefore
from boxoffice.cancellation.hold_refunds import ask_to_hold_or_let_go
from boxoffice.models import Cancellation, ShowAction
from boxoffice.shows.trail import write_show_action
from jobs.audit import require_reason


def pause_refunds(*, show_id: int, by: str, reason: str) -> Cancellation:
    """Send no refund of this show until somebody resumes them. One transaction.

    What is being sent at this moment ends. Planning, mails and the week go on. One that is paused for want of balance
    is then paused by staff, and does not go on by itself. by, reason: kept in the show's trail, and shown on its page.

    Raises ReasonMissing, PausedBefore and ClosedBefore (also where the show is not cancelled at all).
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        cancellation = transitions.pause_by_staff(show_id=show_id, by=by.strip(), reason=reason.strip())
        if cancellation is None:
            raise PausedBefore if _is_open(show_id) else ClosedBefore
        write_show_action(show_id=show_id, action=ShowAction.Action.PAUSE, by=by, reason=reason, details={})
        ask_to_hold_or_let_go(cancellation_id=cancellation.pk, show_id=show_id)
    return cancellation


def _is_open(show_id: int) -> bool:
    return Cancellation.objects.filter(show_id=show_id).exclude(phase=Cancellation.Phase.CLOSED).exists()
