"""What is printed on one ticket, as plain text: all that the renderer gets to see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from inventory.models import Seat
from inventory.venue_time import place_of
from tickets.east_asian import expected_language
from tickets.models import Ticket
from tickets.printed_text import SMALLEST, Block, Text, block_of, fitted, size_for, text_of
from tickets.qr import sign_ticket
from tickets.text_width import width_of


@dataclass(frozen=True)
class TicketFace:
    """The texts of one page, in the language of the ticket and the time of the venue."""

    title: Text
    subtitle: Text
    date: Text
    time: Text
    where: Block
    section: Text
    row: Text
    seat: Text
    seat_size: str
    names: Block
    code: str
    payload: str


# Widths in em up to which a text keeps a size; what is wider gets the next one, and wraps. Measured for the boxes in
# assets/ticket.css: at 29 points one line of the title holds 8.5 em, at 21 points two lines hold 23 em less what is
# lost where they break.
TITLE_SIZES = ((8.3, "xxl"), (9.7, "xl"), (20, "l"), (42, "m"), (95, "s"))
SUBTITLE_SIZES = ((22.5, "m"), (80, "s"))
DATE_SIZES = ((15.2, "l"), (19.5, "m"))
TIME_SIZES = ((11.6, "l"), (15.2, "m"))
WHERE_SIZES = ((23, "m"), (30, "s"))  # of its longest line
SECTION_SIZES = ((16.2, "l"), (38, "m"))
SECTION_HOLDS = 88.0
SEAT_SIZES = ((6.2, "xl"), (8.8, "l"), (24, "m"))
NAME_SIZES = ((26, "l"), (50, "m"), (100, "s"))
ROW_TO_SEAT = 25 / 38  # the row's type size in the seat's


def faces_of(tickets: Sequence[Ticket]) -> list[TicketFace]:
    """One face for each ticket, in the active language. The tickets bring show, venue, seat and tier along."""
    return [_face(ticket, place, len(tickets)) for place, ticket in enumerate(tickets, start=1)]


def _face(ticket: Ticket, place: int, count: int) -> TicketFace:
    show, venue, seat = ticket.show, ticket.show.venue, ticket.seat
    expected = expected_language(language=ticket.language, zone=venue.time_zone)
    clock = pgettext("time on a ticket, in Django's date format", "H:i")
    day = pgettext("date on a ticket, in Django's date format", "l j F Y")
    starts_at = show.starts_at_local
    title = fitted(show.title, TITLE_SIZES, expected=expected)
    subtitle = fitted(show.subtitle, SUBTITLE_SIZES, expected=expected)
    # They share one box: what stands below a long title makes room for it.
    long_title = title.size in {"s", SMALLEST}
    if long_title and subtitle.size == SMALLEST:
        subtitle = replace(subtitle, size="cut")
    roomy = not long_title and subtitle.size == "m"
    doors = _("Doors open at %(time)s") % {"time": dateformat.format(show.doors_at_local, clock)}
    where = [text_of(line, expected=expected) for line in (doors, venue.name, ", ".join(venue.address.split("\n")))]
    longest = max(width_of(line.text) for line in where)
    moment = _("%(moment)s, %(place)s time") % {
        "moment": dateformat.format(starts_at, clock),
        "place": place_of(venue.zone),
    }
    row, number = _row_and_seat(seat, expected)
    holder = text_of(ticket.holder_name, expected=expected)
    facts = [
        text_of(_("Ticket %(place)d of %(count)d") % {"place": place, "count": count}),
        text_of(ticket.printed_code),
        text_of(_("Order %(code)s") % {"code": ticket.order_code}),
    ]
    return TicketFace(
        title=title,
        subtitle=subtitle,
        date=fitted(dateformat.format(starts_at, day), DATE_SIZES[not roomy :]),
        time=fitted(moment, TIME_SIZES[not roomy :]),
        where=block_of(where, size=size_for(longest, WHERE_SIZES[not roomy :], last="s" if roomy else SMALLEST)),
        section=_section(seat, expected),
        row=row,
        seat=number,
        seat_size=size_for(width_of(row.text) * ROW_TO_SEAT + width_of(number.text), SEAT_SIZES, last="s"),
        names=block_of([*facts, holder], size=size_for(width_of(holder.text), NAME_SIZES)),
        code=ticket.printed_code,
        payload=sign_ticket(code=ticket.code, show_id=ticket.show_id),
    )


def _row_and_seat(seat: Seat, expected: str) -> tuple[Text, Text]:
    row = _("Row %(row)s") % {"row": seat.row} if seat.row else ""
    number = _("Seat %(number)s") % {"number": seat.number} if seat.number else _("Any free place")
    return text_of(row, expected=expected), text_of(number, expected=expected)


def _section(seat: Seat, expected: str) -> Text:
    """Zone and price tier, once when they are called the same; the zone alone where both would not fit.

    A place for a wheelchair says so, whatever its tier is called: by that the door shows the way.
    """
    kind = _("Wheelchair place") if seat.tier.wheelchair else ""
    unsaid = "" if kind.casefold() in seat.tier.name.casefold() else kind
    both = ", ".join(dict.fromkeys(filter(None, (seat.zone, seat.tier.name, unsaid))))
    text = both if width_of(both) <= SECTION_HOLDS else seat.zone or both
    return fitted(text, SECTION_SIZES, last="s", expected=expected)
