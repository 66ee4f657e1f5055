"""Reading the takings of a period: in all, by day, show, tier, place of sale and way of paying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db import connection

from boxoffice.sales.asked import Asked
from inventory.money import Money

# One look at the rows of the period, put together in two ways at once: by day and show, and by what is left. All that
# the page shows is added up from these few thousand rows; six groupings of all rows take four times as long. shows: all
# where that is NULL. By takings_by_day.
TAKINGS = """
    SELECT sums.currency, sums.day, sums.show_id, tier.name, sums.channel, sums.method, sums.complimentary,
           sums.sold, sums.gross, sums.given_back, sums.refunded
      FROM (SELECT currency, day, show_id, tier_id, channel, method, complimentary, sum(sold) AS sold,
                   sum(gross)::bigint AS gross, sum(given_back) AS given_back, sum(refunded)::bigint AS refunded
              FROM boxoffice_takings
             WHERE day BETWEEN %(first)s AND %(last)s
               AND (%(show_ids)s::bigint[] IS NULL OR show_id = ANY(%(show_ids)s::bigint[]))
             GROUP BY GROUPING SETS ((currency, day, show_id),
                                     (currency, tier_id, channel, method, complimentary))) AS sums
      LEFT JOIN inventory_pricetier AS tier ON tier.id = sums.tier_id
     ORDER BY tier.position, tier.name, sums.channel, sums.method, sums.complimentary, sums.day
"""


@dataclass(frozen=True)
class Sum:
    """Seats and money of some rows, in one currency."""

    currency: str
    sold: int = 0
    gross: int = 0
    given_back: int = 0
    refunded: int = 0

    @property
    def seats(self) -> int:
        """Sold, less what was given back."""
        return self.sold - self.given_back

    @property
    def net(self) -> int:
        """In the currency's minor unit, as the others."""
        return self.gross - self.refunded

    @property
    def gross_money(self) -> Money:
        return Money(self.gross, self.currency)

    @property
    def refunded_money(self) -> Money:
        return Money(self.refunded, self.currency)

    @property
    def net_money(self) -> Money:
        return Money(self.net, self.currency)


@dataclass
class TakingsOf:
    """What was taken in one currency. ways: by method and whether complimentary."""

    currency: str
    all: Sum
    days: dict[date, Sum] = field(default_factory=dict)
    shows: dict[int, Sum] = field(default_factory=dict)
    tiers: dict[str, Sum] = field(default_factory=dict)
    channels: dict[str, Sum] = field(default_factory=dict)
    ways: dict[tuple[str, bool], Sum] = field(default_factory=dict)


def read_takings(*, asked: Asked, show_ids: Sequence[int] | None) -> list[TakingsOf]:
    """By currency, the one with the most money first. show_ids: None for all shows. One query."""
    values = {"first": asked.first, "last": asked.last, "show_ids": None if show_ids is None else list(show_ids)}
    sums: dict[tuple[str, str, Any], list[int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(TAKINGS, values)
        for currency, day, show_id, tier, channel, method, complimentary, *figures in cursor.fetchall():
            if day is not None:
                keys: tuple[tuple[str, Any], ...] = (("all", None), ("days", day), ("shows", show_id))
            else:
                keys = (("tiers", tier), ("channels", channel), ("ways", (method, complimentary)))
            for group, key in keys:
                _add(sums, (currency, group, key), figures)
    found: dict[str, TakingsOf] = {}
    for (currency, group, key), added in sums.items():
        of = found.setdefault(currency, TakingsOf(currency, Sum(currency)))
        if group == "all":
            of.all = Sum(currency, *added)
        else:
            getattr(of, group)[key] = Sum(currency, *added)
    return sorted(found.values(), key=lambda takings: -takings.all.gross)


def _add(sums: dict[tuple[str, str, Any], list[int]], key: tuple[str, str, Any], figures: Sequence[int]) -> None:
    held = sums.get(key)
    if held is None:
        sums[key] = list(figures)
        return
    for nth, figure in enumerate(figures):
        held[nth] += figure
