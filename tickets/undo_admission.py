"""Taking an admission back: the wrong person went in, or one goes out and comes again."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from tickets import transitions
from tickets.admit_by_hand import reason_in, ticket_of_door
from tickets.door_answer import Door, DoorAnswer, write_scan
from tickets.errors import NotIn
from tickets.models import Scan, Ticket
from tickets.selectors import undone_by


def undo_admission(*, code: str, reason: str, door: Door, attempt: UUID | None = None) -> DoorAnswer:
    """Make the ticket admit once more. Raises ReasonMissing, NoSuchTicket, and NotIn unless it is used now.

    attempt: as for a scan. One that is asked again hears that it was undone, and takes nothing back that came after it.
    One transaction. The earlier admission stays in the list of scans.
    """
    reason = reason_in(reason)
    with transaction.atomic():
        ticket = ticket_of_door(code=code, door=door)
        # The same request may still be under way, and is waited for.
        Ticket.objects.select_for_update(no_key=True).get(pk=ticket.pk)
        row = undone_by(ticket_id=ticket.pk, attempt=attempt) if attempt else None
        if row is None:
            if not transitions.mark_unused(ticket_id=ticket.pk, show_id=door.show_id):
                raise NotIn
            row = write_scan(door=door, result=Scan.Result.UNDONE, ticket=ticket, reason=reason, attempt=attempt)
    return DoorAnswer(result=Scan.Result.UNDONE, proven=False, at=row.at, ticket=ticket)
