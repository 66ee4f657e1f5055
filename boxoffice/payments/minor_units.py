"""Amounts as the provider counts them. Pure.

Nearly always the currency's minor unit, as ours. Two currencies have no decimals but are written with two of them,
always 00, and those with three decimals are charged to the second (docs.stripe.com, "Supported currencies").
"""

from __future__ import annotations

from boxoffice.payments.errors import NotChargeable
from inventory.money import Money, decimals_of

_WRITTEN_WITH_TWO = frozenset({"ISK", "UGX"})


def provider_amount(money: Money) -> int:
    """The amount as the provider wants it. Raises NotChargeable for one that ends where it does not charge to."""
    if money.currency in _WRITTEN_WITH_TWO:
        return money.amount * 100
    if decimals_of(money.currency) == 3 and money.amount % 10:
        raise NotChargeable
    return money.amount


def our_money(amount: int, currency: str) -> Money | None:
    """What the provider counts, as we do; None where we could not name that sum to the provider again."""
    money = Money(amount // 100 if currency in _WRITTEN_WITH_TWO else amount, currency)
    try:
        return money if provider_amount(money) == amount else None
    except NotChargeable:
        return None


def counted_as_ours(amount: int, currency: str) -> int:
    """What the provider counts in our minor unit, towards zero where it is a fraction of it: to tell, not to send."""
    return int(amount / 100) if currency in _WRITTEN_WITH_TWO else amount
