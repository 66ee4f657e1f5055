"""Letting people in at the door.

Guarantee: a ticket that is issued admits once, however many doors read it at one moment. It goes from issued to used
by one conditional UPDATE whose row count decides, and the row that tells of it commits with it.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from inventory.models import Show
from tickets import codes, transitions
from tickets.door_answer import Door, DoorAnswer, write_scan
from tickets.errors import ForgedTicket, TicketBusy
from tickets.models import Scan, Ticket, VoidReason
from tickets.qr import SignedTicket, read_ticket
from tickets.selectors import standing_admission, ticket_by_code

Result = Scan.Result

TRIES = 3
"""Each further one needs an admission and its undoing within a few milliseconds."""

LONGEST_TYPED = 2 * codes.LENGTH
"""Characters, spaces not counted. Nobody mistypes eight as more than these: a hand scanner read some other picture."""

_STANDING = {
    Ticket.Status.PENDING: Result.PENDING,
    Ticket.Status.FAILED: Result.FAILED,
    Ticket.Status.USED: Result.AGAIN,
}
_NO_SHOW = {Show.Status.POSTPONED: Result.POSTPONED, Show.Status.CANCELLED: Result.CANCELLED}


def scan(*, text: str, door: Door, from_picture: bool = False, attempt: UUID | None = None) -> DoorAnswer:
    """Admit whoever shows this code, or say why not. Four statements for who goes in, three to five for others.

    text: what the camera or a hand scanner read, or the ticket's code as somebody typed it. from_picture: either of the
    two read a picture, which must bear our signature; a typed code need not, and the answer says so. attempt: the
    device's own mark of this code; whoever asks again with it, since the answer got lost, hears that it was admitted.

    The signature is checked before anything is looked up. Raises TicketBusy.
    """
    with transaction.atomic():
        try:
            signed = _signed(text, from_picture=from_picture)
        except ForgedTicket:
            return _refuse(door=door, result=Result.FORGED, attempt=attempt)
        code = signed.code if signed else codes.typed(text)
        ticket = ticket_by_code(code=code)
        if ticket is None or (signed and signed.show_id != ticket.show_id):
            return _refuse(door=door, result=Result.UNKNOWN, proven=bool(signed), attempt=attempt)
        return _admit(ticket, door=door, proven=bool(signed), attempt=attempt)


def _signed(text: str, *, from_picture: bool) -> SignedTicket | None:
    """What the QR code says, or None for a code that was typed. Raises ForgedTicket."""
    payload = "".join(text.split()).upper()
    if not from_picture and len(payload) <= LONGEST_TYPED:
        return None
    return read_ticket(payload=payload)


def _admit(ticket: Ticket, *, door: Door, proven: bool, attempt: UUID | None) -> DoorAnswer:
    result = _NO_SHOW.get(Show.Status(ticket.show.status), Result.ADMITTED)
    elsewhere = ticket.show_id != door.show_id
    if elsewhere:
        # Nobody is sent on with a ticket that lets nobody in there either.
        result = why_not(ticket) if ticket.status == Ticket.Status.VOID else Result.WRONG_SHOW
    elif result is Result.ADMITTED:
        result = _take(ticket, door=door)
    earlier = None
    if result is Result.AGAIN:
        earlier = standing_admission(ticket_id=ticket.pk)
        if earlier and attempt and earlier.attempt == attempt:
            return DoorAnswer(result=Result.ADMITTED, proven=earlier.proven, at=earlier.at, ticket=ticket)
    row = write_scan(door=door, result=result, ticket=ticket, proven=proven, attempt=attempt)
    return DoorAnswer(
        result=result, proven=proven, at=row.at, ticket=ticket, earlier=earlier, is_of_another_show=elsewhere
    )


def _take(ticket: Ticket, *, door: Door) -> Result:
    """ADMITTED if this call used the ticket, else why it does not admit."""
    for _ in range(TRIES):
        if transitions.mark_used(ticket_id=ticket.pk, show_id=door.show_id):
            return Result.ADMITTED
        # Another door may have been quicker than our first look, or may just have undone its admission.
        ticket.refresh_from_db(fields=["status", "void_reason"])
        if ticket.status != Ticket.Status.ISSUED:
            return why_not(ticket)
    raise TicketBusy


def why_not(ticket: Ticket) -> Result:
    """Why a ticket that is not issued does not admit. Void because of its money is told apart."""
    if ticket.status == Ticket.Status.VOID:
        return Result.REFUNDED if ticket.void_reason == VoidReason.REFUNDED else Result.VOID
    return _STANDING[Ticket.Status(ticket.status)]


def _refuse(*, door: Door, result: Result, attempt: UUID | None, proven: bool = False) -> DoorAnswer:
    row = write_scan(door=door, result=result, proven=proven, attempt=attempt)
    return DoorAnswer(result=result, proven=proven, at=row.at)
