"""What is being taken, or was: the seats of a hold or of an order, with their prices and the total. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from boxoffice.models import Order, OrderLine
from inventory.models import Seat
from inventory.money import Money
from inventory.selectors import HeldSeats


@dataclass(frozen=True)
class SlipLine:
    """One seat, in words, and its price. No tier where the seat's own words name it already."""

    label: str
    tier_name: str
    price: Money


@dataclass(frozen=True)
class OrderSlip:
    """The lines in the order of the seats in the house, and what they cost together."""

    lines: list[SlipLine]
    total: Money


def slip_of_hold(held: HeldSeats) -> OrderSlip:
    """At the prices that the hold promised."""
    hold, currency = held.hold, held.hold.currency
    lines = [
        SlipLine(
            label=seat.label,
            tier_name=_unsaid(seat, seat.tier.name),
            price=Money(hold.price_of(seat_id=seat.pk), currency),
        )
        for seat in held.seats
    ]
    return OrderSlip(lines=lines, total=Money.sum((line.price for line in lines), currency=currency))


def slip_of_order(*, order: Order, lines: Iterable[OrderLine]) -> OrderSlip:
    """At the prices that the order wrote down."""
    return OrderSlip(
        lines=[
            SlipLine(
                label=line.seat.label,
                tier_name=_unsaid(line.seat, line.tier_name),
                price=Money(line.price, order.currency),
            )
            for line in lines
        ],
        total=order.money,
    )


def _unsaid(seat: Seat, tier_name: str) -> str:
    """The tier's name, but not below a zone that is called the same."""
    return "" if tier_name == seat.zone else tier_name
