"""Ending or extending a hold because staff say so, whoever holds it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from boxoffice.changes.errors import HoldIsOver, HoldTooLong
from boxoffice.models import HoldAction
from boxoffice.payments.close_page import close_page
from inventory import hold_transitions
from inventory.models import Hold
from inventory.transitions import free_seats
from jobs.audit import require_reason, signed
from jobs.clock import database_now

LONGEST = timedelta(hours=2)
"""From now on, whatever is asked for: seats that nobody can buy and nobody pays help no one."""


@dataclass(frozen=True)
class ReleasedHold:
    """How many seats are on sale again, and whether a job ends a payment page."""

    seats: int
    page_closed: bool


def release_hold(*, hold_id: int, by: str, reason: str) -> ReleasedHold:
    """End an open hold at once and put its seats on sale. One transaction.

    Where somebody buys by it his payment page is closed by a job; money that comes all the same goes back, or buys the
    seats if they are still free. Raises ReasonMissing, and HoldIsOver where it has ended or was bought.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        end = hold_transitions.release_by_hand(hold_id=hold_id)
        if end is None:
            raise HoldIsOver
        seats = free_seats(hold_ids=[hold_id])
        closed = close_page(hold_id=hold_id)
        _write(hold_id, HoldAction.Action.RELEASE, by=by, reason=reason, ended_at=end, ends_at=database_now())
    return ReleasedHold(seats=seats, page_closed=closed)


def give_back(*, hold_id: int, holder: UUID) -> bool:
    """Put the seats of a hold that was taken at the desk, by the form that drew ``holder``, on sale again; False where
    it has ended, a fan's or somebody else's. Nothing was sold by it, so that no trail tells of it. One transaction.
    """
    with transaction.atomic():
        released = hold_transitions.release_own(hold_id=hold_id, holder=holder)
        if released:
            free_seats(hold_ids=[hold_id])
    return released


def extend_hold(*, hold_id: int, minutes: int, seen: datetime, by: str, reason: str) -> datetime:
    """Let an open hold end ``minutes`` later; returns when. One transaction.

    seen: when it was to end as the page showed it: pressed twice it is extended once. The fan may still extend it once
    himself, and the job for its end comes again by itself. Raises ReasonMissing, HoldTooLong (more than LONGEST from
    now), and HoldIsOver where it has ended, was bought, or ends at another time by now.
    """
    require_reason(by=by, reason=reason)
    by_much = timedelta(minutes=minutes)
    with transaction.atomic():
        end = hold_transitions.extend_by_hand(hold_id=hold_id, by=by_much, seen=seen, longest=LONGEST)
        if end is None:
            same = Hold.objects.filter(pk=hold_id, status=Hold.Status.ACTIVE, expires_at=seen).exists()
            raise HoldTooLong if same and seen + by_much > database_now() + LONGEST else HoldIsOver
        _write(hold_id, HoldAction.Action.EXTEND, by=by, reason=reason, ended_at=seen, ends_at=end)
    return end


def _write(
    hold_id: int, action: HoldAction.Action, *, by: str, reason: str, ended_at: datetime, ends_at: datetime
) -> None:
    HoldAction.objects.create(
        hold_id=hold_id,
        action=action,
        ended_at=ended_at,
        ends_at=ends_at,
        **signed(by=by, reason=reason),
    )
