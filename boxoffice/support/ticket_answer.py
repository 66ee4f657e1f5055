"""Is my ticket real? What the box above the orders says to a ticket's code, or to the text of a QR code."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from boxoffice.support.story.ticket_words import how_it_stands
from inventory.venue_time import in_venue_time
from tickets import codes
from tickets.errors import ForgedTicket
from tickets.models import Scan, Ticket
from tickets.qr import LENGTH, VERSION, read_ticket
from tickets.selectors import ticket_by_code


@dataclass(frozen=True)
class TicketAnswer:
    """What to tell. is_good: it lets somebody in."""

    words: str
    is_good: bool


def answer_about(*, code: str, typed: str, with_reasons: bool) -> TicketAnswer | None:
    """How the ticket with this code stands; None where there is none. typed: what it was found by, which proves more if
    it is the text of a QR code. with_reasons: with what somebody wrote at the door, which names the guest as often as
    not. Two queries.
    """
    ticket = ticket_by_code(code=code)
    if ticket is None:
        return None
    scans = list(Scan.objects.filter(ticket_id=ticket.pk).order_by("id"))
    for scan in scans if not with_reasons else ():
        scan.reason = ""
    words = _("Ticket %(code)s is ours: %(show)s, %(starts)s, %(seat)s.") % {
        "code": ticket.printed_code,
        "show": ticket.show.title,
        "starts": in_venue_time(instant=ticket.show.starts_at, zone=ticket.show.venue.zone),
        "seat": ticket.seat.label or ticket.seat.tier.name,
    }
    if is_picture(typed):
        words += " " + _("Its QR code bears our signature.")
    return TicketAnswer(f"{words} {how_it_stands(ticket, scans=scans)}", ticket.status == Ticket.Status.ISSUED)


def why_no_ticket(*, typed: str) -> str:
    """What to tell where what was typed names no ticket and no order; empty where it is no code at all. Pure."""
    if is_picture(typed):
        try:
            read_ticket(payload=_squeezed(typed))
        except ForgedTicket:
            return _("This QR code is not ours: it does not bear our signature. The ticket is forged, or no ticket.")
        return _("Our signature, and no ticket that we know. Tell an engineer.")
    code = codes.typed(typed)
    if len(code) != codes.LENGTH or not set(code) <= set(codes.ALPHABET) or not _looks_like_a_code(typed):
        return ""
    return _(
        "No ticket and no order ever had the code %(code)s. Have it read once more, letter by letter; if it stays so, "
        "the ticket is not ours."
    ) % {"code": codes.grouped(code)}


def is_picture(typed: str) -> bool:
    """Whether it is what a QR code of a ticket says, ours or one that is made to look so. Pure."""
    text = _squeezed(typed)
    return text.startswith(VERSION) and 2 * codes.LENGTH < len(text) <= 2 * LENGTH


def _squeezed(typed: str) -> str:
    return "".join(typed.split()).upper()


def _looks_like_a_code(typed: str) -> bool:
    """A figure, or the dash where it is printed; "lovelace" is a name."""
    return any(character.isdecimal() for character in typed) or typed.strip()[4:5] == "-"
