"""Taking tickets back."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from jobs.errors import NotInTransaction
from tickets import transitions
from tickets.models import Ticket


def void_tickets(*, order_id: int, seat_ids: Sequence[int], reason: str, even_used: bool = False) -> bool:
    """Make the order's tickets for these seats void; whether none of them is left.

    reason: told at the door. even_used: also those with which somebody has gone in; without it they stay, and False
    tells the caller to roll back. Part of the caller's transaction. Raises NotInTransaction outside one.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Void tickets inside the transaction that gives their seats back.")
    live = Ticket.objects.filter(order_id=order_id, seat_id__in=seat_ids).exclude(status=Ticket.Status.VOID)
    chosen = live.values_list("pk", "status")
    ids = [pk for pk, status in chosen if even_used or status != Ticket.Status.USED]
    transitions.mark_void(ticket_ids=ids, reason=reason, even_used=even_used)
    return not live.exists()
