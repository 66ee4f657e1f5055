"""Moving a show because staff say so: who has tickets is told, and reminded of the new time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from boxoffice.models import ShowAction
from boxoffice.plan_reminders import forget_reminders
from boxoffice.shows.offer_refunds import check_until, offer_refunds
from boxoffice.shows.tell_show_moved import TASK
from boxoffice.shows.trail import write_show_action
from inventory.models.show import subject_of
from inventory.move_show import MovedShow, move_show
from jobs.audit import require_reason
from jobs.enqueue import enqueue


@dataclass(frozen=True)
class ToldMove:
    """What became of the show, and the entry in its trail."""

    moved: MovedShow
    action: ShowAction


def move_and_tell(
    *,
    show_id: int,
    seen: int,
    starts_at: datetime,
    doors_at: datetime | None,
    by: str,
    reason: str,
    refund_until: datetime | None = None,
) -> ToldMove:
    """Move the show, forget whom it was reminded of, and let a job tell who has tickets. One transaction.

    seen: the version of the show that the page showed: pressed twice it is moved once, and told once. starts_at,
    doors_at: with their time zone; see ``inventory.move_show``. by, reason: kept in the show's trail. refund_until:
    when given, who has ordered by now may have his money back until then.
    Raises ReasonMissing, OfferRefused, and from inventory UnknownShow, ShowRefused, TransitionRefused.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        moved = move_show(show_id=show_id, seen=seen, starts_at=starts_at, doors_at=doors_at)
        forget_reminders(show_id=show_id)
        details = {
            "version": moved.version,
            "from": moved.starts_at.isoformat(),
            "to": starts_at.isoformat(),
            "was_postponed": moved.was_postponed,
        }
        if refund_until is not None:
            check_until(until=refund_until, starts_at=starts_at)
            offer_refunds(show_id=show_id, until=refund_until)
            details["refund_until"] = refund_until.isoformat()
        action = write_show_action(
            show_id=show_id, action=ShowAction.Action.MOVE, by=by, reason=reason, details=details
        )
        enqueue(
            task=TASK,
            args={"show_id": show_id, "version": moved.version},
            subject=subject_of(show_id=show_id),
            dedup_key=f"show_moved:{show_id}:{moved.version}",
        )
    return ToldMove(moved=moved, action=action)
