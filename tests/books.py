"""Sales of every kind, and what a show took, told by walking through its orders: what takings are held against."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, OrderLine, Payment, Takings
from boxoffice.payments import transitions as payments
from inventory.hold_seats import hold_seats
from inventory.models import Show
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import seat_ids

Book = dict[tuple[Any, ...], tuple[int, int, int, int]]

PRICES = {"Front": 4210, "House": 1205}  # cents, so that sums tell tiers and single seats apart


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


def sell_on_the_web(show: Show, *guids: str) -> Order:
    """Paid and confirmed, without the payment provider."""
    order = place(hold_seats(show_id=show.pk, seat_ids=seat_ids(show, *guids)), email=f"{guids[0]}@example.org")
    payment = Payment.objects.create(
        order=order, amount=order.total, currency=order.currency, idempotency_key=f"payment-{order.pk}"
    )
    payments.succeed(payment_id=payment.pk, provider_id=f"cs_{order.pk}", intent_id=f"pi_{order.pk}")
    return confirm_order(order_id=order.pk)


def sell_at_the_desk(show: Show, *guids: str, paid_by: PaidBy = PaidBy.CASH, channel: str = "counter") -> Order:
    hold = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, *guids))
    return sell_by_staff(
        hold_token=hold.token,
        name="Ada",
        email="",
        language="en",
        channel=Order.Channel(channel),
        paid_by=paid_by,
        by="anna",
        reason="a guest of the house",
    )
