"""Checking a ticket at the door."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tickets.errors import ForgedTicket
from tickets.models import Ticket
from tickets.qr import read_ticket


class Verdict(TextChoices):
    """How a ticket stands, and what the door does about it. Only the first one admits."""

    VALID = "valid", _("Valid. Let this person in.")
    FORGED = "forged", _("Forged: the signature is not ours. Do not let this person in.")
    UNKNOWN = "unknown", _("Signed by us, but no such ticket is known. Ask the box office.")
    WRONG_SHOW = "wrong show", _("A ticket for another show. Send this person to the right entrance or day.")
    VOID = "void", _("Void: it was cancelled or refunded. Send this person to the box office.")
    USED = "used", _("Used: somebody has gone in with it already. Send this person to the box office.")
    PENDING = "pending", _("Not issued yet. Wait a moment and scan it again.")
    FAILED = "failed", _("It could not be issued. Send this person to the box office.")


_VERDICTS = {
    Ticket.Status.ISSUED: Verdict.VALID,
    Ticket.Status.PENDING: Verdict.PENDING,
    Ticket.Status.FAILED: Verdict.FAILED,
    Ticket.Status.USED: Verdict.USED,
    Ticket.Status.VOID: Verdict.VOID,
}


@dataclass(frozen=True)
class TicketCheck:
    """The verdict, and the ticket with its show, venue and seat where it is known."""

    verdict: Verdict
    ticket: Ticket | None = None

    @property
    def valid(self) -> bool:
        """Whether the ticket admits."""
        return self.verdict is Verdict.VALID

    @property
    def sentence(self) -> str:
        """The verdict in words for the person at the door, in the active language."""
        sentence = str(self.verdict.label)
        if self.verdict is Verdict.VOID and self.ticket:
            sentence += gettext(" Reason: %(reason)s.") % {"reason": gettext(self.ticket.void_reason).rstrip(".")}
        return sentence


def check_ticket(*, payload: str, show_id: int | None = None) -> TicketCheck:
    """How the ticket with this QR code stands now. Reads one row, and none for a forged one; changes nothing.

    payload: the text of the QR code. show_id: the show at this door; any show when None.
    """
    try:
        signed = read_ticket(payload=payload)
    except ForgedTicket:
        return TicketCheck(Verdict.FORGED)
    ticket = (
        Ticket.objects.select_related("show__venue", "seat__tier")
        .filter(code=signed.code, show_id=signed.show_id)
        .first()
    )
    if ticket is None:
        return TicketCheck(Verdict.UNKNOWN)
    # A void ticket of another show sends nobody there.
    if show_id is not None and ticket.show_id != show_id and ticket.status != Ticket.Status.VOID:
        return TicketCheck(Verdict.WRONG_SHOW, ticket)
    return TicketCheck(_VERDICTS[Ticket.Status(ticket.status)], ticket)
