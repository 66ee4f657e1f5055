"""Reading tickets and their files."""

from __future__ import annotations

from django.db.models import QuerySet

from tickets.models import Ticket, TicketDocument


def tickets_of_order(*, order_id: int) -> QuerySet[Ticket]:
    """The order's tickets, void ones too, with show, venue and seat, in the order of the seats in the house."""
    return (
        Ticket.objects.filter(order_id=order_id)
        .select_related("show__venue", "seat__tier")
        .order_by("seat__position", "seat_id", "id")
    )


def document_of_order(*, order_id: int) -> TicketDocument | None:
    """The file with the order's tickets, or None before they are issued."""
    return TicketDocument.objects.filter(order_id=order_id).first()
