"""Whether an order's file may be handed out. The tickets decide, at the moment of asking; no job is trusted with it."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, F, Func, IntegerField, OuterRef, QuerySet

from tickets.errors import DocumentOutdated
from tickets.models import Ticket, TicketDocument


def documents(*, order_id: int) -> QuerySet[Any]:
    """The order's file, if it has one, with ``outdated``: a ticket in it is void. Index: ticket_by_order."""
    place = Func(OuterRef("ticket_ids"), F("pk"), function="array_position", output_field=IntegerField())
    void = Ticket.objects.filter(order_id=OuterRef("order_id"), status=Ticket.Status.VOID)
    inside = void.alias(place=place).filter(place__isnull=False)
    return TicketDocument.objects.filter(order_id=order_id).annotate(outdated=Exists(inside))


def require_valid(*, document: TicketDocument) -> None:
    """Raises DocumentOutdated when a ticket in this file is void by now, or another file has taken its place.

    Ask after reading it: what is handed out was valid then. One query.
    """
    same = documents(order_id=document.order_id).filter(storage_name=document.storage_name)
    if not same.filter(outdated=False).exists():
        raise DocumentOutdated


def has_only_void_tickets(*, order_id: int) -> bool:
    """Whether the order has tickets and none of them is valid any more. One query, by ``ticket_by_order``."""
    tickets = Ticket.objects.filter(order_id=order_id)
    return tickets.exists() and not tickets.exclude(status=Ticket.Status.VOID).exists()
