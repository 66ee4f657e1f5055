"""Who asks at the door, and what the door hears."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tickets.metrics import note_scan
from tickets.models import Scan, Ticket

ADMITTING = (Scan.Result.ADMITTED, Scan.Result.BY_HAND)


@dataclass(frozen=True)
class Door:
    """Where and by whom: the show that is let in here, the name of the device, the person who is logged in."""

    show_id: int
    name: str
    user_id: int
    by: str


@dataclass(frozen=True)
class DoorAnswer:
    """What became of a code. Only ADMITTED and BY_HAND let a person in.

    ticket: with its show, venue, seat and tier, or None for what is forged or not known. proven: the signature of the
    QR code said that it is ours; a typed code proves nothing. earlier: the admission that stands, where it is in
    already. at: the database's time of this answer. is_of_another_show: the ticket is none for this door's.
    """

    result: Scan.Result
    proven: bool
    at: datetime
    ticket: Ticket | None = None
    earlier: Scan | None = None
    is_of_another_show: bool = False

    @property
    def admits(self) -> bool:
        """Whether this person goes in now."""
        return self.result in ADMITTING


def write_scan(
    *,
    door: Door,
    result: Scan.Result,
    ticket: Ticket | None = None,
    proven: bool = False,
    reason: str = "",
    **more: object,
) -> Scan:
    """Keep what happened, in the transaction that it happens in. One statement."""
    note_scan(result=result)
    return Scan.objects.create(
        ticket=ticket,
        show_id=door.show_id,
        door=door.name,
        user_id=door.user_id,
        by=door.by,
        result=result,
        proven=proven,
        reason=reason,
        **more,
    )
