"""Taking tickets back."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction
from tickets import transitions
from tickets.models import Ticket, TicketDocument


def void_tickets(*, order_id: int, seat_ids: Sequence[int], reason: str, even_used: bool = False) -> bool:
    """Make the order's tickets for these seats void; whether none of them is left.

    The order's file, if there is one, is outdated from then on, and a job writes it anew without them.

    reason: told at the door. even_used: also those with which somebody has gone in; without it they stay, and False
    tells the caller to roll back. Part of the caller's transaction. Raises NotInTransaction outside one.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Void tickets inside the transaction that gives their seats back.")
    live = Ticket.objects.filter(order_id=order_id, seat_id__in=seat_ids).exclude(status=Ticket.Status.VOID)
    # By number, as whoever records their file locks them.
    chosen = list(live.select_for_update(no_key=True).order_by("pk").values_list("pk", "status", "order_code"))
    ids = [pk for pk, status, _code in chosen if even_used or status != Ticket.Status.USED]
    transitions.mark_void(ticket_ids=ids, reason=reason, even_used=even_used)
    if chosen:
        _renew_the_file(order_id=order_id, order_code=chosen[0][2])
    return not live.exists()


def _renew_the_file(*, order_id: int, order_code: str) -> None:
    """Unless there is none yet: whoever writes the first one sees under the tickets' locks that they are void."""
    if TicketDocument.objects.filter(order_id=order_id).exists():
        enqueue(
            task="tickets.renew_document",
            args={"order_id": order_id},
            subject=f"order:{order_code}",
            unique_key=f"tickets.renew_document {order_id}",
        )
