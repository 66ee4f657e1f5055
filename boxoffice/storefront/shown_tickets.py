"""The tickets as an order's page shows them, each with its QR code. Pure."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tickets.models import Ticket
from tickets.qr import sign_ticket
from tickets.qr_image import qr_png

# Whole pixels for each module on a telephone's screen; the browser scales the picture without smoothing.
PIXELS_PER_MODULE = 4


@dataclass(frozen=True)
class VoidTicket:
    """A ticket that lets nobody in any more, and why, in words."""

    ticket: Ticket
    why: str


@dataclass(frozen=True)
class ShownTicket:
    """A ticket with its code as a picture that needs no further request."""

    ticket: Ticket
    picture: str


def shown_tickets(tickets: Iterable[Ticket]) -> list[ShownTicket]:
    """Those that admit somebody: issued, or used already."""
    good = {Ticket.Status.ISSUED, Ticket.Status.USED}
    return [
        ShownTicket(ticket=ticket, picture=_picture(code=ticket.code, show_id=ticket.show_id))
        for ticket in tickets
        if ticket.status in good
    ]


def void_tickets_in_words(tickets: Iterable[Ticket]) -> list[VoidTicket]:
    """These tickets, all of them void, each with its reason in the active language."""
    return [
        VoidTicket(ticket=ticket, why=_("Void: %(reason)s.") % {"reason": _reason(ticket.void_reason)})
        for ticket in tickets
    ]


def _reason(given: str) -> str:
    """The words for the reasons that are ours; what staff wrote as it is."""
    ours = {
        "refunded": pgettext("ticket", "refunded"),
        "cancelled": pgettext("ticket", "cancelled"),
        "moved": pgettext("ticket", "moved to another seat"),
        "the show is cancelled": _("the show is cancelled"),
    }
    return ours.get(given, given.rstrip("."))


# The payload of a ticket is the same each time. A page is asked for a few times in a row, hardly ever later.
@lru_cache(maxsize=512)
def _picture(*, code: str, show_id: int) -> str:
    payload = sign_ticket(code=code, show_id=show_id)
    png = qr_png(payload=payload, pixels_per_module=PIXELS_PER_MODULE)
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
