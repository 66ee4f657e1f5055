"""What is held or bought, as it is listed: equal places in one line, "4 × Standing". Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from boxoffice.models import OrderLine
from inventory.models import Seat
from inventory.money import Money


@dataclass(frozen=True)
class Places:
    """So many places that have the same words and the same price. No tier where the words name it already."""

    label: str
    tier_name: str
    each: Money
    given_back: bool = False
    count: int = 1

    @property
    def words(self) -> str:
        return counted(self.label, self.count)

    @property
    def price(self) -> Money:
        """Of all of them."""
        return Money(self.count * self.each.amount, self.each.currency)


def gather_places(places: Iterable[Places]) -> list[Places]:
    """Equal ones together, each where the first of them stood. Only places to stand are equal: seats have numbers."""
    return [replace(place, count=count) for place, count in Counter(places).items()]


def gather_lines(lines: Iterable[OrderLine]) -> list[Places]:
    """The same for the lines of an order, with their seats and orders, at the prices that it wrote down."""
    return gather_places(
        place_of(line.seat, tier_name=line.tier_name, price=line.money, given_back=line.refunded_at is not None)
        for line in lines
    )


def place_of(seat: Seat, *, tier_name: str, price: Money, given_back: bool = False) -> Places:
    """One place. A place without words of its own is called by its tier."""
    label = seat.label or tier_name
    return Places(label, "" if tier_name in (seat.zone, label) else tier_name, price, given_back)


def counted(label: str, count: int) -> str:
    """``counted("Standing", 4)`` is "4 × Standing"; one alone has no number."""
    return f"{count} × {label}" if count > 1 else label
