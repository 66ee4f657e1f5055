"""What is printed on one ticket, as plain text: all that the renderer gets to see."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from inventory.models import Seat
from inventory.venue_time import place_of
from tickets.models import Ticket
from tickets.qr import sign_ticket


@dataclass(frozen=True)
class Text:
    """A text and the size it is set in, chosen so that it fits its place however long it is."""

    text: str
    size: str


@dataclass(frozen=True)
class TicketFace:
    """The texts of one page, in the language of the ticket and the time of the venue."""

    title: Text
    subtitle: Text
    date: Text
    time: Text
    where: Text
    section: Text
    row: str
    seat: str
    seat_size: str
    names: Text
    code: str
    payload: str


# Widths up to which a text keeps a size; what is wider gets size ``s`` and wraps. Measured for the boxes in
# assets/ticket.css, in letters: a figure or small letter is 1 wide.
TITLE_SIZES = ((20, "xl"), (40, "l"), (64, "m"))
SUBTITLE_SIZES = ((46, "m"),)
DATE_SIZES = ((30, "l"), (38, "m"))
TIME_SIZES = ((23, "l"), (31, "m"))
WHERE_SIZES = ((100, "m"),)
SECTION_SIZES = ((32, "l"), (80, "m"))
SECTION_HOLDS = 180
SEAT_SIZES = ((11.5, "xl"), (16, "l"), (50, "m"))
NAME_SIZES = ((46, "l"), (90, "m"))
ROW_TO_SEAT = 25 / 38  # the row's type size in the seat's


def faces_of(tickets: Sequence[Ticket]) -> list[TicketFace]:
    """One face for each ticket, in the active language. The tickets bring show, venue, seat and tier along."""
    return [_face(ticket, place, len(tickets)) for place, ticket in enumerate(tickets, start=1)]


def _face(ticket: Ticket, place: int, count: int) -> TicketFace:
    show, venue, seat = ticket.show, ticket.show.venue, ticket.seat
    clock = pgettext("time on a ticket, in Django's date format", "H:i")
    day = pgettext("date on a ticket, in Django's date format", "l j F Y")
    starts_at = show.starts_at_local
    row = _("Row %(row)s") % {"row": seat.row} if seat.row else ""
    number = _("Seat %(number)s") % {"number": seat.number} if seat.number else _("Any free place")
    title, subtitle = fitted(show.title, TITLE_SIZES), fitted(show.subtitle, SUBTITLE_SIZES)
    where = _lines(
        _("Doors open at %(time)s") % {"time": dateformat.format(show.doors_at_local, clock)},
        venue.name,
        ", ".join(venue.address.split("\n")),
    )
    # They share one box: what stands below a long title makes room for it.
    roomy = title.size != "s" and subtitle.size == "m"
    return TicketFace(
        title=title,
        subtitle=subtitle,
        date=fitted(dateformat.format(starts_at, day), DATE_SIZES),
        time=fitted(
            _("%(moment)s, %(place)s time")
            % {"moment": dateformat.format(starts_at, clock), "place": place_of(venue.zone)},
            TIME_SIZES,
        ),
        where=fitted(where, WHERE_SIZES if roomy else ()),
        section=_section(seat),
        row=row,
        seat=number,
        seat_size=size_for(width_of(row) * ROW_TO_SEAT + width_of(number), SEAT_SIZES),
        names=Text(
            _lines(
                _("Ticket %(place)d of %(count)d") % {"place": place, "count": count},
                ticket.printed_code,
                _("Order %(code)s") % {"code": ticket.order_code},
                ticket.holder_name,
            ),
            fitted(ticket.holder_name, NAME_SIZES).size,
        ),
        code=ticket.printed_code,
        payload=sign_ticket(code=ticket.code, show_id=ticket.show_id),
    )


def fitted(text: str, sizes: Sequence[tuple[float, str]]) -> Text:
    """The text with the size that its width allows."""
    return Text(text, size_for(width_of(text), sizes))


def size_for(width: float, sizes: Sequence[tuple[float, str]]) -> str:
    """The first size that holds ``width`` letters, else ``s``."""
    return next((size for limit, size in sizes if width <= limit), "s")


def width_of(text: str) -> float:
    """A text's width in letters, near enough: capitals are broad, East Asian letters twice as wide."""
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else 1.35 if letter.isupper() else 1 for letter in text
    )


def _section(seat: Seat) -> Text:
    """Zone and price tier, once when they are called the same; the zone alone where both would not fit."""
    both = ", ".join(dict.fromkeys(filter(None, (seat.zone, seat.tier.name))))
    return fitted(both if width_of(both) <= SECTION_HOLDS else seat.zone or both, SECTION_SIZES)


def _lines(*texts: str) -> str:
    """The texts as lines of one block, which is cheaper to lay out than blocks of their own."""
    return "\n".join(" ".join(text.split()) for text in texts if text.strip())
