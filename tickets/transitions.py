"""The only place where a ticket's status changes: one conditional UPDATE each, whose row count is the answer."""

from __future__ import annotations

from collections.abc import Collection

from jobs.clock import DatabaseNow
from tickets.models import Ticket

Status = Ticket.Status


def mark_issued(*, ticket_ids: Collection[int]) -> int:
    """pending → issued, for these tickets. Returns how many moved."""
    return Ticket.objects.filter(id__in=ticket_ids, status=Status.PENDING).update(
        status=Status.ISSUED, issued_at=DatabaseNow()
    )


def mark_failed(*, order_id: int) -> int:
    """pending → failed, for the order's tickets. Returns how many moved."""
    return Ticket.objects.filter(order_id=order_id, status=Status.PENDING).update(status=Status.FAILED)


def reopen(*, order_id: int) -> int:
    """failed → pending, for the order's tickets. Returns how many moved."""
    return Ticket.objects.filter(order_id=order_id, status=Status.FAILED).update(status=Status.PENDING)


def mark_void(*, ticket_ids: Collection[int], reason: str) -> int:
    """Any status but void → void, for these tickets. The reason may not be empty. Returns how many moved."""
    return (
        Ticket.objects.filter(id__in=ticket_ids)
        .exclude(status=Status.VOID)
        .update(status=Status.VOID, void_reason=reason)
    )
