"""Taking back that tickets were taken back."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction
from tickets import transitions
from tickets.models import Ticket


def revive_tickets(*, order_id: int, seat_ids: Sequence[int], reason: str) -> int:
    """Make the order's tickets for these seats good again that are void for this reason; returns how many.

    They are what they were: the same codes, so that a printed one opens the door again. A job writes the order's file
    with them, and issues those that nobody had yet. The seats must be the order's still. Part of the caller's
    transaction. Raises NotInTransaction outside one.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Revive tickets inside the transaction that finds them to be good again.")
    void = Ticket.objects.filter(order_id=order_id, seat_id__in=seat_ids, status=Ticket.Status.VOID, void_reason=reason)
    # By number, as whoever records their file locks them.
    chosen = list(void.select_for_update(no_key=True).order_by("pk").values_list("pk", "order_code"))
    if not chosen:
        return 0
    revived = transitions.mark_valid_again(ticket_ids=[number for number, _code in chosen], reason=reason)
    # Whatever the file holds when they run: the first writes it where there is none, the second where it is outdated.
    for task in ("tickets.issue_tickets", "tickets.renew_document"):
        enqueue(
            task=task, args={"order_id": order_id}, subject=f"order:{chosen[0][1]}", unique_key=f"{task} {order_id}"
        )
    return revived
