"""What a show took, told by walking through its orders one by one: what the takings are held against."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from boxoffice.models import OrderLine, Payment, Takings
from inventory.models import Show

Book = dict[tuple[Any, ...], tuple[int, int, int, int]]


def book_of(show: Show) -> Book:
    """By day, tier, channel, way of paying, complimentary and currency: seats sold, gross, given back, refunded."""
    rows: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    zone = show.venue.zone
    for line in OrderLine.objects.filter(order__show=show).select_related("order", "seat"):
        order = line.order
        if order.confirmed_at is None:
            continue
        payment = Payment.objects.filter(order=order, status="succeeded").first()
        method = payment.method if payment and order.total else ""
        key = (line.seat.tier_id, order.channel, method, order.complimentary, order.currency)
        sold = rows[(order.confirmed_at.astimezone(zone).date(), *key)]
        sold[0] += 1
        sold[1] += line.price
        if line.refunded_at is not None:
            back = rows[(line.refunded_at.astimezone(zone).date(), *key)]
            back[2] += 1
            back[3] += line.price
    return {key: (row[0], row[1], row[2], row[3]) for key, row in rows.items()}


def counted_of(show: Show) -> Book:
    """The same as the read model has it."""
    key = ("day", "tier_id", "channel", "method", "complimentary", "currency")
    return {
        tuple(getattr(row, name) for name in key): (row.sold, row.gross, row.given_back, row.refunded)
        for row in Takings.objects.filter(show=show)
    }
