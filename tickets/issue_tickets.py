"""Issuing an order's tickets: render them, store them, say so.

Guarantee: however often and wherever this is interrupted, the order ends with one file, each ticket is issued once,
and `TicketsIssued` is published once. The file with the same tickets has the same name each time, and everything in the
database happens in one transaction with the job's end.

Tickets that have failed are issued like those that are pending: they are in the file that is written. So whatever has
an order's tickets made once its cause is mended (a replay, a move to other seats) makes all of them, and a job that
dies beside one that still waits spoils nothing.
"""

from __future__ import annotations

from jobs.events import publish
from tickets import transitions
from tickets.errors import NoTickets, TicketsChanged
from tickets.events import TicketsIssued
from tickets.models import Ticket
from tickets.selectors import document_of_order, tickets_of_order
from tickets.write_document import recording, write_document


def issue_tickets(*, order_id: int) -> None:
    """Issue the order's tickets that are not issued. Does nothing when all are and the file is there.

    The file holds all tickets of the order that are not void; it is also written where a door has let all of them in by
    hand meanwhile. Call it outside a transaction: it renders and talks to the storage before it records.

    Raises NoTickets, TicketsChanged (tried again), and what the storage raises (OSError, tried again).
    """
    document = document_of_order(order_id=order_id)  # before the tickets: see ``write_document``
    tickets = list(tickets_of_order(order_id=order_id))
    if not tickets:
        raise NoTickets
    live = [ticket for ticket in tickets if ticket.status != Ticket.Status.VOID]
    missing = [ticket.pk for ticket in live if ticket.status in transitions.NOT_ISSUED]
    if not live or (not missing and document is not None):
        return  # nothing to write: the run ends, and the job is done
    written = write_document(tickets=live, edition=document.wanted if document else 0)
    with recording(written):
        if transitions.mark_issued(ticket_ids=missing) != len(missing):
            raise TicketsChanged
        publish(TicketsIssued(order_id=order_id, order_code=live[0].order_code))
