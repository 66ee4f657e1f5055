"""What is printed on one ticket, as plain text: all that the renderer gets to see."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from inventory.venue_time import place_of
from tickets.models import Ticket
from tickets.qr import sign_ticket


@dataclass(frozen=True)
class Line:
    """A text and the size it is set in, chosen so that it fits its place however long it is."""

    text: str
    size: str


@dataclass(frozen=True)
class TicketFace:
    """The texts of one page, in the language of the ticket and the time of the venue."""

    number: str
    title: Line
    subtitle: str
    date: str
    time: str
    zone: str
    doors: str
    venue: str
    address: str
    section: Line
    tier: str
    row: Line
    seat: Line
    holder: str
    order_code: str
    code: str
    payload: str


# Widths in letters up to which a text keeps a size; wide letters count twice. What is longer gets the last size and
# wraps. Measured for the boxes in assets/ticket.css.
TITLE_SIZES = ((26, "xl"), (52, "l"), (110, "m"))
SECTION_SIZES = ((20, "l"), (44, "m"))
PLACE_SIZES = ((3, "xl"), (5, "l"), (10, "m"))


def faces_of(tickets: Sequence[Ticket]) -> list[TicketFace]:
    """One face for each ticket, in the active language. The tickets bring show, venue, seat and tier along."""
    return [_face(ticket, place, len(tickets)) for place, ticket in enumerate(tickets, start=1)]


def _face(ticket: Ticket, place: int, count: int) -> TicketFace:
    show, venue, seat = ticket.show, ticket.show.venue, ticket.seat
    starts_at, doors_at = show.starts_at_local, show.doors_at_local
    day = pgettext("date on a ticket, in Django's date format", "l j F Y")
    clock = pgettext("time on a ticket, in Django's date format", "H:i")
    return TicketFace(
        number=_("Ticket %(place)d of %(count)d") % {"place": place, "count": count},
        title=fitted(show.title, TITLE_SIZES),
        subtitle=show.subtitle,
        date=dateformat.format(starts_at, day),
        time=dateformat.format(starts_at, clock),
        zone=_("%(place)s time") % {"place": place_of(venue.zone)},
        doors=_("Doors open at %(time)s") % {"time": dateformat.format(doors_at, clock)},
        venue=venue.name,
        address=venue.address,
        section=fitted(seat.zone or seat.tier.name, SECTION_SIZES),
        tier=seat.tier.name if seat.zone else "",
        row=fitted(seat.row, PLACE_SIZES),
        seat=fitted(seat.number, PLACE_SIZES),
        holder=ticket.holder_name,
        order_code=ticket.order_code,
        code=ticket.printed_code,
        payload=sign_ticket(code=ticket.code, show_id=ticket.show_id),
    )


def fitted(text: str, sizes: Sequence[tuple[int, str]]) -> Line:
    """The text with the first size whose width holds it, else with size ``s``."""
    width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
    return Line(text, next((size for limit, size in sizes if width <= limit), "s"))
