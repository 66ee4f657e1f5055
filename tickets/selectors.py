"""Reading tickets and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from tickets.door_answer import ADMITTING
from tickets.models import Scan, Ticket, TicketDocument


@dataclass(frozen=True)
class DoorCount:
    """How many of a show's tickets are in, and how many there are: all that are not void."""

    admitted: int
    sold: int


def tickets_of_order(*, order_id: int) -> QuerySet[Ticket]:
    """The order's tickets, void ones too, with show, venue and seat, in the order of the seats in the house."""
    return (
        Ticket.objects.filter(order_id=order_id)
        .select_related("show__venue", "seat__tier")
        .order_by("seat__position", "seat_id", "id")
    )


def has_tickets_to_void(*, order_id: int, seat_ids: Sequence[int]) -> bool:
    """Whether one of the order's tickets for these seats could still be used. One query, by ``ticket_by_order``."""
    unused = Ticket.objects.filter(order_id=order_id, seat_id__in=seat_ids)
    return unused.exclude(status__in=(Ticket.Status.VOID, Ticket.Status.USED)).exists()


def document_of_order(*, order_id: int) -> TicketDocument | None:
    """The file with the order's tickets, or None before they are issued."""
    return TicketDocument.objects.filter(order_id=order_id).first()


def ticket_by_code(*, code: str) -> Ticket | None:
    """The ticket with its show, venue, seat and tier, or None. One query, by the index of the codes."""
    return Ticket.objects.select_related("show__venue", "seat__tier").filter(code=code).first()


def standing_admission(*, ticket_id: int) -> Scan | None:
    """The newest admission with this ticket. One query, by ``scan_by_ticket``."""
    return Scan.objects.filter(ticket_id=ticket_id, result__in=ADMITTING).order_by("-id").first()


def undone_by(*, ticket_id: int, attempt: UUID) -> Scan | None:
    """What this attempt took back, or None. One query, by ``scan_by_ticket``."""
    return Scan.objects.filter(ticket_id=ticket_id, attempt=attempt, result=Scan.Result.UNDONE).first()


def scans_of_order(*, order_id: int) -> QuerySet[Scan]:
    """What doors did with the order's tickets, oldest first, with the ticket."""
    return Scan.objects.filter(ticket__order_id=order_id).select_related("ticket").order_by("id")


def scans_at_door(*, show_id: int, door: str, limit: int = 10) -> Sequence[Scan]:
    """The newest of this door, newest first, with ticket and seat. One query, by ``scan_by_door``."""
    scans = Scan.objects.filter(show_id=show_id, door=door).select_related("ticket__seat")
    return list(scans.order_by("-id")[:limit])


def door_count(*, show_id: int) -> DoorCount:
    """How many are in. One query, by the index of the show's tickets."""
    counted = Ticket.objects.filter(show_id=show_id).aggregate(
        admitted=Count("id", filter=Q(status=Ticket.Status.USED)),
        sold=Count("id", filter=~Q(status=Ticket.Status.VOID)),
    )
    return DoorCount(**counted)
