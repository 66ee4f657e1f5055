"""What is being taken, was taken, or was given back: seats with their prices, and the total. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from boxoffice.models import Order, OrderLine, Refund
from inventory.models import Seat
from inventory.money import Money
from inventory.selectors import HeldSeats


@dataclass(frozen=True)
class SlipLine:
    """One seat, in words, and its price. No tier where the seat's own words name it already."""

    label: str
    tier_name: str
    price: Money
    given_back: bool = False


@dataclass(frozen=True)
class OrderSlip:
    """The lines in the order of the seats in the house, what they cost together, and what goes back, in sentences."""

    lines: list[SlipLine]
    total: Money
    refunds: list[str] = field(default_factory=list)


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


def slip_of_order(*, order: Order, lines: Iterable[OrderLine], refunds: Iterable[Refund] = ()) -> OrderSlip:
    """At the prices that the order wrote down. refunds: the newest attempt for each sum that goes back."""
    return OrderSlip(
        lines=[
            SlipLine(
                label=line.seat.label,
                tier_name=_unsaid(line.seat, line.tier_name),
                price=Money(line.price, order.currency),
                given_back=line.refunded_at is not None,
            )
            for line in lines
        ],
        total=order.money,
        refunds=[_on_its_way(refund) for refund in refunds],
    )


def _on_its_way(refund: Refund) -> str:
    words = {
        Refund.Status.SUCCEEDED: _("%(amount)s has left for your bank. It takes five to ten days to arrive."),
        Refund.Status.FAILED: _("%(amount)s goes back to you. It takes longer than usual: we are on it."),
    }.get(Refund.Status(refund.status), _("%(amount)s goes back to you."))
    return words % {"amount": refund.money}


def _unsaid(seat: Seat, tier_name: str) -> str:
    """The tier's name, but not below a zone that is called the same."""
    return "" if tier_name == seat.zone else tier_name
