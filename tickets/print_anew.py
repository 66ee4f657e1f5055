"""Having an order's tickets printed anew: in a new file, under another name if need be."""

from __future__ import annotations

from django.db import connection
from django.db.models import F

from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction
from tickets import transitions
from tickets.models import Ticket, TicketDocument


def rename_tickets(*, order_id: int, name: str) -> int:
    """Let the order's tickets that are not void bear this name; returns how many did not before.

    Their file, if there is one, is then to be printed anew (``print_anew``); whoever writes the first one notices under
    the tickets' locks. Part of the caller's transaction. Raises NotInTransaction outside one.
    """
    _require_transaction()
    others = Ticket.objects.filter(order_id=order_id).exclude(status=Ticket.Status.VOID).exclude(holder_name=name)
    # By number, as whoever records their file locks them.
    ids = list(others.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    return Ticket.objects.filter(pk__in=ids).update(holder_name=name)


def print_anew(*, order_id: int, order_code: str, seen: int | None = None) -> int | None:
    """Want another edition of the order's file, and let a job write it; returns its number.

    seen: the edition that was wanted when somebody asked for it; another one meanwhile does. None where that is so, or
    there is no file yet. The file before it stays good until then. Part of the caller's transaction. Raises
    NotInTransaction outside one.
    """
    _require_transaction()
    files = TicketDocument.objects.filter(order_id=order_id)
    if seen is not None:
        files = files.filter(wanted=seen)
    if not files.update(wanted=F("wanted") + 1):
        return None
    enqueue(
        task="tickets.renew_document",
        args={"order_id": order_id},
        subject=f"order:{order_code}",
        unique_key=f"tickets.renew_document {order_id}",
    )
    return TicketDocument.objects.values_list("wanted", flat=True).get(order_id=order_id)


def issue_anew(*, order_id: int, order_code: str) -> int:
    """Have the order's tickets that failed made after all, by a job of its own; returns how many: failed → pending.

    For an order whose job is dead and may have been discarded. Nothing is enqueued where none has failed (any more).
    Part of the caller's transaction. Raises NotInTransaction outside one.
    """
    _require_transaction()
    reopened = transitions.reopen(order_id=order_id)
    if reopened:
        args = {"order_id": order_id, "order_code": order_code}
        enqueue(task="tickets.issue_tickets", args=args, subject=f"order:{order_code}")
    return reopened


def _require_transaction() -> None:
    if not connection.in_atomic_block:
        raise NotInTransaction("Change what is printed on tickets inside the transaction that says why.")
