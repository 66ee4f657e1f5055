"""What the provider may take of a payment, by currency, as somebody read it in the contract. Pure.

Said, and not learnt from what it took before: a rate that has been wrong from the first day on would be taken for
right. What cards cost depends on the card, so that a currency has a range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from boxoffice.reconciliation.amounts import decimals_there

_RATE = r"([0-9]+(?:\.[0-9]+)?)%(?:\+([0-9]+(?:\.[0-9]+)?))?"
_RANGE = re.compile(rf"([A-Z]{{3}})={_RATE}(?:\.\.{_RATE})?")


@dataclass(frozen=True)
class Rate:
    """A part of what was paid, in a hundred millionth of it, and a fixed sum in the provider's smallest unit."""

    part: int
    fixed: int


@dataclass(frozen=True)
class FeeRange:
    """From the cheapest card to the dearest one."""

    currency: str
    least: Rate
    most: Rate


def read_fees(text: str) -> tuple[FeeRange, ...]:
    """``EUR=1.5%+0.25..3.25%+0.25 JPY=3.6%``: a range, or one rate, for each currency.

    Raises ValueError for what is none, and for a currency that stands there twice.
    """
    ranges = []
    for word in text.split():
        match = _RANGE.fullmatch(word)
        if match is None:
            raise ValueError(f"{word!r} is no fee such as EUR=1.5%+0.25..3.25%+0.25.")
        currency, *figures = match.groups()
        least = _rate(currency, *figures[:2])
        most = _rate(currency, *figures[2:]) if figures[2] else least
        if (most.part, most.fixed) < (least.part, least.fixed):
            raise ValueError(f"{word!r} names the dearest card first.")
        ranges.append(FeeRange(currency, least, most))
    if len({each.currency for each in ranges}) < len(ranges):
        raise ValueError("A currency has its fees twice.")
    return tuple(ranges)


def _rate(currency: str, percent: str, fixed: str | None) -> Rate:
    part = Decimal(percent) * 1_000_000
    sum_ = Decimal(fixed or 0).scaleb(decimals_there(currency))
    if part != int(part) or sum_ != int(sum_):
        raise ValueError(f"{percent}%+{fixed} is more exact than a fee in {currency} can be.")
    return Rate(int(part), int(sum_))
