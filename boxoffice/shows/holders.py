"""Who has tickets for a show, counted for pages that ask before a change."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from boxoffice.models import Order
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.models import Show


@dataclass(frozen=True)
class Holders:
    """Orders that have tickets: with an address to write to, and without."""

    with_address: int
    without: int

    @property
    def all(self) -> int:
        return self.with_address + self.without


def count_holders(show: Show) -> Holders:
    """One query, by order_by_show."""
    sold = Order.objects.filter(show=show, status__in=REFUNDABLE)
    counts = sold.aggregate(all=Count("pk"), without=Count("pk", filter=Q(email="")))
    return Holders(with_address=counts["all"] - counts["without"], without=counts["without"])
