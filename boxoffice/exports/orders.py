"""Orders as rows: one for each that was placed in the period, or for the show, whatever became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.exports.asked import Asked, pages_after, rows_of
from boxoffice.exports.cells import Dialect, amount, instants, text
from boxoffice.models import Order, Payment

# By order_newest_first where a period is asked for, by order_by_show where shows are.
WHICH = """
      FROM boxoffice_order AS o
      JOIN inventory_show AS s ON s.id = o.show_id
      JOIN inventory_venue AS v ON v.id = s.venue_id
     WHERE (%(show_ids)s::bigint[] IS NULL OR o.show_id = ANY(%(show_ids)s::bigint[]))
       AND o.placed_at <= %(until)s
       AND (%(first)s::date IS NULL
            OR o.placed_at >= %(first)s::date - interval '1 day' AND o.placed_at < %(last)s::date + interval '2 days'
               AND (o.placed_at AT TIME ZONE v.time_zone)::date BETWEEN %(first)s::date AND %(last)s::date)
"""

COUNT = f"SELECT count(*) {WHICH}"

# One page, the oldest first. The lines and the payment of each by orderline_seat_once and the payments of an order.
ROWS = f"""
    SELECT page.*, lines.seats, lines.given_back, lines.refunded, paid.method
      FROM (SELECT o.placed_at, o.id, o.code, o.status, s.title, s.starts_at, v.name AS venue, v.time_zone, o.name,
                   o.email, o.language, o.channel, o.complimentary, o.total, o.currency, o.confirmed_at
            {WHICH}
               AND o.placed_at >= %(at_0)s AND (o.placed_at, o.id) > (%(at_0)s, %(at_1)s)
             ORDER BY o.placed_at, o.id LIMIT %(batch)s) AS page
     CROSS JOIN LATERAL (SELECT count(*) AS seats, count(refunded_at) AS given_back,
                                coalesce(sum(price) FILTER (WHERE refunded_at IS NOT NULL), 0)::bigint AS refunded
                           FROM boxoffice_orderline WHERE order_id = page.id) AS lines
      LEFT JOIN LATERAL (SELECT method FROM boxoffice_payment
                          WHERE order_id = page.id AND status = 'succeeded' ORDER BY id LIMIT 1) AS paid ON true
     ORDER BY page.placed_at, page.id
"""  # noqa: S608  (made of constants)

START = (datetime(1, 1, 2, tzinfo=UTC), 0)


def header() -> Sequence[str]:
    """In the active language."""
    return (
        _("Order"),
        _("Status"),
        _("Show"),
        _("Begins, at the venue"),
        _("Begins, UTC"),
        _("Venue"),
        _("Time zone"),
        _("Name"),
        _("E-mail"),
        _("Language"),
        pgettext("column of an export", "Sold"),
        _("Paid by"),
        pgettext("column of an export", "Complimentary"),
        pgettext("column of an export", "Seats"),
        _("Seats given back"),
        pgettext("column of an export", "Total"),
        pgettext("column of an export", "Refunded"),
        _("Currency"),
        _("Placed, at the venue"),
        _("Placed, UTC"),
        _("Confirmed, at the venue"),
        _("Confirmed, UTC"),
    )


def count(asked: Asked) -> int:
    """How many rows there are now. One query."""
    return int(rows_of(COUNT, asked.values)[0][0])


def pages(asked: Asked) -> Iterator[list[tuple[Any, ...]]]:
    """One query a page."""
    return pages_after(ROWS, asked.values, start=START)


def cells(row: tuple[Any, ...], dialect: Dialect) -> Sequence[str]:
    """One row as text, in the active language. Pure."""
    (placed, _id, code, status, title, starts, venue, zone, name, email, language, channel, complimentary, total,
     currency, confirmed, seats, given_back, refunded, method) = row  # fmt: skip
    return (
        code,
        str(Order.Status(status).label),
        text(title),
        *instants(starts, zone),
        text(venue),
        zone,
        text(name),
        text(email),
        language,
        str(Order.Channel(channel).label),
        str(Payment.Method(method).label) if method else "",
        _("yes") if complimentary else "",
        str(seats),
        str(given_back),
        amount(total, currency, dialect),
        amount(refunded, currency, dialect),
        currency,
        *instants(placed, zone),
        *instants(confirmed, zone),
    )
