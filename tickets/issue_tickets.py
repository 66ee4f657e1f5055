"""Issuing an order's tickets: render them, store them, say so.

Guarantee: however often and wherever this is interrupted, the order ends with one file, each pending ticket is issued
once, and `TicketsIssued` is published once. The file is written under the same name each time, and everything in the
database happens in one transaction with the job's end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.utils import translation
from django.utils.translation import ngettext

from jobs.clock import DatabaseNow
from jobs.events import publish
from jobs.record import record
from tickets import transitions
from tickets.errors import NoTickets, TicketsChanged, TicketsNotReopened
from tickets.events import TicketsIssued
from tickets.models import Ticket, TicketDocument
from tickets.render_tickets import render_tickets
from tickets.selectors import tickets_of_order
from tickets.storage import store_document
from tickets.ticket_face import faces_of


def issue_tickets(*, order_id: int) -> None:
    """Issue the order's pending tickets. Does nothing when none is pending any more.

    The file holds all tickets of the order that are not void. Call it outside a transaction: it renders and talks to
    the storage before it records.

    Raises NoTickets, TicketsNotReopened (they failed, and the replay's inverse did not run), TicketsChanged (tried
    again), and what the storage raises (OSError, tried again).
    """
    tickets = list(tickets_of_order(order_id=order_id))
    if not tickets:
        raise NoTickets
    live = [ticket for ticket in tickets if ticket.status != Ticket.Status.VOID]
    if any(ticket.status == Ticket.Status.FAILED for ticket in live):
        raise TicketsNotReopened
    pending = [ticket.pk for ticket in live if ticket.status == Ticket.Status.PENDING]
    if not pending:
        return  # nothing to write: the run ends, and the job is done
    content = render_document(tickets=live)
    storage_name = store_document(order_id=order_id, content=content)
    with record():
        if transitions.mark_issued(ticket_ids=pending) != len(pending):
            raise TicketsChanged
        _note_document(order_id=order_id, storage_name=storage_name, content=content)
        publish(TicketsIssued(order_id=order_id, order_code=live[0].order_code))


def render_document(*, tickets: Sequence[Ticket]) -> bytes:
    """The PDF with these tickets, in their language. They bring show, venue, seat and tier along; at least one."""
    first = tickets[0]
    with translation.override(first.language):
        faces = faces_of(tickets)
        heading = ngettext("Ticket: %(show)s, %(date)s", "Tickets: %(show)s, %(date)s", len(faces))
        title = heading % {"show": faces[0].title.text, "date": faces[0].date.text}
        return render_tickets(faces=faces, title=title, language=first.language)


def _note_document(*, order_id: int, storage_name: str, content: bytes) -> None:
    values = {
        "storage_name": storage_name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "created_at": DatabaseNow(),
    }
    TicketDocument.objects.update_or_create(order_id=order_id, defaults=values)
