"""Postponing a show whose new time nobody knows yet, and letting it go on after all, because staff say so."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from boxoffice.messages import show_goes_on, show_postponed
from boxoffice.models import ShowAction
from boxoffice.shows.errors import TimeHasPassed
from boxoffice.shows.offer_refunds import check_until, offer_refunds
from boxoffice.shows.tell_holders import enqueue_telling
from boxoffice.shows.trail import write_show_action
from inventory.advance_show import advance_show
from inventory.errors import TransitionRefused
from inventory.models import Show
from jobs.audit import require_reason
from jobs.clock import database_now


def postpone_and_tell(
    *, show_id: int, seen: int, by: str, reason: str, refund_until: datetime | None = None
) -> ShowAction:
    """Stop the sale until the show is moved or goes on, and let a job tell who has tickets; returns the entry in the
    show's trail. One transaction.

    seen: the version that the page showed: pressed twice it is postponed once, and told once. by, reason: kept in the
    trail. refund_until: when given, who has ordered by now may have his money back until then.
    Raises ReasonMissing, OfferRefused, and from inventory UnknownShow and TransitionRefused.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        advance_show(show_id=show_id, to=Show.Status.POSTPONED, seen=seen)
        version = seen + 1
        details: dict[str, Any] = {"version": version}
        if refund_until is not None:
            check_until(until=refund_until, starts_at=None)
            offer_refunds(show_id=show_id, until=refund_until)
            details["refund_until"] = refund_until.isoformat()
        enqueue_telling(show_id=show_id, kind=show_postponed.KIND, version=version)
        return write_show_action(
            show_id=show_id, action=ShowAction.Action.POSTPONE, by=by, reason=reason, details=details
        )


def go_on_and_tell(*, show_id: int, seen: int, by: str, reason: str) -> ShowAction:
    """Let a postponed show take place at the time that it had, and let a job tell so whoever was told otherwise;
    returns the entry in the show's trail. One transaction.

    seen, by, reason: as for ``postpone_and_tell``. Raises ReasonMissing, TimeHasPassed, and from inventory UnknownShow
    and TransitionRefused.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        show = Show.objects.filter(pk=show_id, version=seen).first()
        if show is not None and show.status != Show.Status.POSTPONED:
            raise TransitionRefused
        if show is not None and show.starts_at <= database_now():
            raise TimeHasPassed
        advance_show(show_id=show_id, to=Show.Status.SCHEDULED, seen=seen)
        version = seen + 1
        enqueue_telling(show_id=show_id, kind=show_goes_on.KIND, version=version)
        return write_show_action(
            show_id=show_id, action=ShowAction.Action.GO_ON, by=by, reason=reason, details={"version": version}
        )
