"""Taking an admission back: the wrong person went in, or one goes out and comes again."""

from __future__ import annotations

from django.db import transaction

from tickets import transitions
from tickets.admit_by_hand import reason_in, ticket_of_door
from tickets.door_answer import Door, DoorAnswer, write_scan
from tickets.errors import NotIn
from tickets.models import Scan


def undo_admission(*, code: str, reason: str, door: Door) -> DoorAnswer:
    """Make the ticket admit once more. Raises ReasonMissing, NoSuchTicket, and NotIn unless it is used now.

    One transaction. The earlier admission stays in the list of scans.
    """
    reason = reason_in(reason)
    with transaction.atomic():
        ticket = ticket_of_door(code=code, door=door)
        if not transitions.mark_unused(ticket_id=ticket.pk, show_id=door.show_id):
            raise NotIn
        row = write_scan(door=door, result=Scan.Result.UNDONE, ticket=ticket, reason=reason)
    return DoorAnswer(result=Scan.Result.UNDONE, proven=False, at=row.at, ticket=ticket)
