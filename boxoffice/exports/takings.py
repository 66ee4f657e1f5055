"""Takings as rows: what the page of sales adds up, by day, show, tier, place of sale and way of paying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.exports.asked import Asked, pages_after, rows_of
from boxoffice.exports.cells import Dialect, amount, instants, text
from boxoffice.models import Order, Payment

# By takings_by_day where a period is asked for, by takings_once where shows are.
WHICH = """
      FROM boxoffice_takings AS k
      JOIN inventory_show AS s ON s.id = k.show_id
      JOIN inventory_venue AS v ON v.id = s.venue_id
      JOIN inventory_pricetier AS tier ON tier.id = k.tier_id
     WHERE (%(show_ids)s::bigint[] IS NULL OR k.show_id = ANY(%(show_ids)s::bigint[]))
       AND (%(first)s::date IS NULL OR k.day BETWEEN %(first)s::date AND %(last)s::date)
"""

COUNT = f"SELECT count(*) {WHICH}"

ROWS = f"""
    SELECT k.day, k.id, s.title, s.starts_at, v.name, v.time_zone, tier.name, k.channel, k.method, k.complimentary,
           k.sold, k.gross, k.given_back, k.refunded, k.currency
    {WHICH}
       AND (k.day, k.id) > (%(at_0)s, %(at_1)s)
     ORDER BY k.day, k.id LIMIT %(batch)s
"""

START = (date(1, 1, 1), 0)


def header() -> Sequence[str]:
    """In the active language."""
    return (
        _("Day"),
        _("Show"),
        _("Begins, at the venue"),
        _("Begins, UTC"),
        _("Venue"),
        _("Time zone"),
        _("Price tier"),
        pgettext("column of an export", "Sold"),
        _("Paid by"),
        pgettext("column of an export", "Complimentary"),
        _("Seats sold"),
        _("Gross"),
        _("Seats given back"),
        pgettext("column of an export", "Refunded"),
        _("Net"),
        _("Currency"),
    )


def count(asked: Asked) -> int:
    """How many rows there are now. One query."""
    return int(rows_of(COUNT, asked.values)[0][0])


def pages(asked: Asked) -> Iterator[list[tuple[Any, ...]]]:
    """One query a page."""
    return pages_after(ROWS, asked.values, start=START)


def cells(row: tuple[Any, ...], dialect: Dialect) -> Sequence[str]:
    """One row as text, in the active language. Pure."""
    (day, _id, title, starts, venue, zone, tier, channel, method, complimentary, sold, gross, given_back, refunded,
     currency) = row  # fmt: skip
    return (
        f"{day:%Y-%m-%d}",
        text(title),
        *instants(starts, zone),
        text(venue),
        zone,
        text(tier),
        str(Order.Channel(channel).label),
        str(Payment.Method(method).label) if method else "",
        _("yes") if complimentary else "",
        str(sold),
        amount(gross, currency, dialect),
        str(given_back),
        amount(refunded, currency, dialect),
        amount(gross - refunded, currency, dialect),
        currency,
    )
