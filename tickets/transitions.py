"""The only place where a ticket's status changes: one conditional UPDATE each, whose row count is the answer."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Case, Value, When
from django.db.models.functions import Coalesce

from jobs.clock import DatabaseNow
from tickets.models import Ticket

Status = Ticket.Status

NOT_ISSUED = (Status.PENDING, Status.FAILED)
"""Nobody has these tickets yet."""


def mark_issued(*, ticket_ids: Collection[int]) -> int:
    """pending or failed → issued, for these tickets. Returns how many moved."""
    return Ticket.objects.filter(id__in=ticket_ids, status__in=NOT_ISSUED).update(
        status=Status.ISSUED, issued_at=DatabaseNow()
    )


def mark_failed(*, order_id: int) -> int:
    """pending → failed, for the order's tickets. Returns how many moved. Requires a transaction."""
    return _move_all(order_id=order_id, was=Status.PENDING, to=Status.FAILED)


def reopen(*, order_id: int) -> int:
    """failed → pending, for the order's tickets. Returns how many moved. Requires a transaction."""
    return _move_all(order_id=order_id, was=Status.FAILED, to=Status.PENDING)


def _move_all(*, order_id: int, was: Ticket.Status, to: Ticket.Status) -> int:
    """Locked by number first, as whoever records their file and whoever makes them void lock them."""
    chosen = Ticket.objects.filter(order_id=order_id, status=was)
    ids = list(chosen.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    return Ticket.objects.filter(id__in=ids, status=was).update(status=to)


def mark_void(*, ticket_ids: Collection[int], reason: str, even_used: bool = True) -> int:
    """Any status but void → void, for these tickets; used ones only if ``even_used``. Returns how many moved.

    The reason may not be empty.
    """
    left_alone = (Status.VOID,) if even_used else (Status.VOID, Status.USED)
    return (
        Ticket.objects.filter(id__in=ticket_ids)
        .exclude(status__in=left_alone)
        .update(status=Status.VOID, void_reason=reason)
    )


def mark_valid_again(*, ticket_ids: Collection[int], reason: str) -> int:
    """void → issued, or pending where it never was, for those of these that are void for this reason. Returns how many
    moved.
    """
    void = Ticket.objects.filter(id__in=ticket_ids, status=Status.VOID, void_reason=reason)
    was = Case(When(issued_at__isnull=True, then=Value(Status.PENDING)), default=Value(Status.ISSUED))
    return void.update(status=was, void_reason="")


def mark_used(*, ticket_id: int, show_id: int) -> int:
    """issued → used, for a ticket of this show: the one way in. Of two doors at once the second gets 0."""
    return Ticket.objects.filter(id=ticket_id, show_id=show_id, status=Status.ISSUED).update(status=Status.USED)


def mark_used_by_hand(*, ticket_id: int, show_id: int) -> int:
    """issued, pending or failed → used, for a ticket of this show that a person vouches for. Returns 1 or 0."""
    return Ticket.objects.filter(id=ticket_id, show_id=show_id, status__in=(Status.ISSUED, *NOT_ISSUED)).update(
        status=Status.USED, issued_at=Coalesce("issued_at", DatabaseNow())
    )


def mark_unused(*, ticket_id: int, show_id: int) -> int:
    """used → issued, for a ticket of this show. Returns 1 or 0."""
    return Ticket.objects.filter(id=ticket_id, show_id=show_id, status=Status.USED).update(status=Status.ISSUED)
