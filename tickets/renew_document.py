"""Writing an order's file anew when tickets in it have become void, or something else is to be printed on them.

Guarantee: it ends with a file that holds exactly the valid tickets, or with none when there are none, in the edition
that is wanted. Nobody is told.
"""

from __future__ import annotations

from jobs.record import record
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket
from tickets.selectors import document_of_order, tickets_of_order
from tickets.write_document import recording, remove_document, write_document


def renew_document(*, order_id: int) -> None:
    """Replace the order's file by one without its void tickets, in the edition that is wanted. Does nothing where it is
    like that already.

    Nor while tickets are pending: whoever issues them writes all of them. Where some have failed nobody may come any
    more, so that they are issued here. Call it outside a transaction. Raises TicketsChanged (tried again), and what the
    storage raises.
    """
    document = document_of_order(order_id=order_id)
    tickets = list(tickets_of_order(order_id=order_id))
    live = [ticket for ticket in tickets if ticket.status != Ticket.Status.VOID]
    if document is None or any(ticket.status == Ticket.Status.PENDING for ticket in live):
        return
    if any(ticket.status == Ticket.Status.FAILED for ticket in live):
        issue_tickets(order_id=order_id)
        return
    if sorted(document.ticket_ids) == sorted(ticket.pk for ticket in live) and document.edition == document.wanted:
        return
    if not live:
        with record():
            # Locked, so that whoever finds them to be good again meanwhile waits, and has the file written after this.
            locked = Ticket.objects.select_for_update(no_key=True).filter(order_id=order_id).order_by("pk")
            if all(status == Ticket.Status.VOID for status in locked.values_list("status", flat=True)):
                remove_document(document=document, order_code=tickets[0].order_code)
        return
    with recording(write_document(tickets=live, edition=document.wanted)):
        pass  # the file is all that changes
