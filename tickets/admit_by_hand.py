"""Letting somebody in whom the scanner does not: a person vouches for it and says why."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from inventory.models import Show
from tickets import codes, transitions
from tickets.door_answer import Door, DoorAnswer, write_scan
from tickets.errors import NoSuchTicket, NotToBeAdmitted, ReasonMissing, ShowNotHeld
from tickets.models import Scan, Ticket
from tickets.selectors import standing_admission, ticket_by_code

LONGEST_REASON = 200  # characters, as the column has them


def admit_by_hand(*, code: str, reason: str, door: Door, attempt: UUID | None = None) -> DoorAnswer:
    """Let in whoever has the ticket with this code, issued or not: its file may be late, its print unreadable.

    attempt: as for a scan; who asks again since the answer got lost hears that this person was admitted.
    Raises ReasonMissing; NoSuchTicket, also for a ticket of another show; ShowNotHeld; NotToBeAdmitted for one that is
    void or used. One transaction.
    """
    reason = reason_in(reason)
    with transaction.atomic():
        ticket = ticket_of_door(code=code, door=door)
        if ticket.show.status in (Show.Status.POSTPONED, Show.Status.CANCELLED):
            raise ShowNotHeld
        if transitions.mark_used_by_hand(ticket_id=ticket.pk, show_id=door.show_id):
            row = write_scan(door=door, result=Scan.Result.BY_HAND, ticket=ticket, reason=reason, attempt=attempt)
        else:
            row = _told_before(ticket, attempt=attempt)
    return DoorAnswer(result=Scan.Result.BY_HAND, proven=False, at=row.at, ticket=ticket)


def _told_before(ticket: Ticket, *, attempt: UUID | None) -> Scan:
    """The admission that stands, if this very request made it. Raises NotToBeAdmitted."""
    ticket.refresh_from_db(fields=["status"])
    standing = standing_admission(ticket_id=ticket.pk)
    if attempt and standing and standing.attempt == attempt and ticket.status == Ticket.Status.USED:
        return standing
    raise NotToBeAdmitted


def ticket_of_door(*, code: str, door: Door) -> Ticket:
    """The ticket with this code, however it was typed. Raises NoSuchTicket unless it is for the show at this door."""
    ticket = ticket_by_code(code=codes.typed(code))
    if ticket is None or ticket.show_id != door.show_id:
        raise NoSuchTicket
    return ticket


def reason_in(text: str) -> str:
    """What somebody typed as a reason, in one line that fits. Raises ReasonMissing."""
    reason = " ".join(text.split())[:LONGEST_REASON]
    if not reason:
        raise ReasonMissing
    return reason
