"""Attendees as rows: one for each valid ticket of the show, or of the shows that begin in the period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from boxoffice.exports.asked import Asked, pages_after, rows_of
from boxoffice.exports.cells import Dialect, amount, instants, text
from inventory.models import Seat
from tickets.codes import grouped
from tickets.models import Ticket

# Few thousand shows at most, read whole. Postponed ones have no date yet, and are found by the show alone.
SHOWS = """
    SELECT s.id FROM inventory_show AS s JOIN inventory_venue AS v ON v.id = s.venue_id
     WHERE (%(show_ids)s::bigint[] IS NULL OR s.id = ANY(%(show_ids)s::bigint[]))
       AND (%(first)s::date IS NULL
            OR s.status <> 'postponed'
               AND (s.starts_at AT TIME ZONE v.time_zone)::date BETWEEN %(first)s::date AND %(last)s::date)
     ORDER BY s.starts_at, s.id
"""

# By the tickets' index of their show.
COUNT = "SELECT count(*) FROM tickets_ticket WHERE show_id = ANY(%(shows)s::bigint[]) AND status <> 'void'"

# One page of one show, in the order of sale; the rest by primary keys.
ROWS = """
    SELECT t.id, s.title, s.starts_at, v.name, v.time_zone, t.code, t.status, t.holder_name, o.email, seat.zone,
           seat.row, seat.number, line.tier_name, line.price, o.currency, o.code, t.language
      FROM (SELECT * FROM tickets_ticket WHERE show_id = %(show)s AND status <> 'void' AND id > %(at_0)s
             ORDER BY id LIMIT %(batch)s) AS t
      JOIN boxoffice_order AS o ON o.id = t.order_id
      JOIN inventory_seat AS seat ON seat.id = t.seat_id
      JOIN inventory_show AS s ON s.id = t.show_id
      JOIN inventory_venue AS v ON v.id = s.venue_id
      LEFT JOIN boxoffice_orderline AS line ON line.order_id = t.order_id AND line.seat_id = t.seat_id
     ORDER BY t.id
"""


def header() -> Sequence[str]:
    """In the active language."""
    return (
        _("Show"),
        _("Begins, at the venue"),
        _("Begins, UTC"),
        _("Venue"),
        _("Time zone"),
        _("Ticket"),
        _("Status"),
        _("Name"),
        _("E-mail"),
        _("Seat"),
        _("Price tier"),
        _("Price"),
        _("Currency"),
        _("Order"),
        _("Language"),
    )


def count(asked: Asked) -> int:
    """How many rows there are now. Two queries."""
    return int(rows_of(COUNT, {"shows": _shows(asked)})[0][0])


def pages(asked: Asked) -> Iterator[list[tuple[Any, ...]]]:
    """Show by show; one query a page, and one for each show."""
    for show in _shows(asked):
        yield from pages_after(ROWS, {**asked.values, "show": show}, start=(0,))


def cells(row: tuple[Any, ...], dialect: Dialect) -> Sequence[str]:
    """One row as text, in the active language. Pure."""
    (_id, title, starts, venue, zone, code, status, name, email, part, seat_row, number, tier, price, currency, order,
     language) = row  # fmt: skip
    return (
        text(title),
        *instants(starts, zone),
        text(venue),
        zone,
        grouped(code),
        str(Ticket.Status(status).label),
        text(name),
        text(email),
        text(Seat(zone=part, row=seat_row, number=number).label),
        text(tier or ""),
        "" if price is None else amount(price, currency, dialect),
        currency,
        order,
        language,
    )


def _shows(asked: Asked) -> list[int]:
    return [show for (show,) in rows_of(SHOWS, asked.values)]
