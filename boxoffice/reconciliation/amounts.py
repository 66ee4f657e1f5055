"""Amounts as the provider counts them, in figures and out of them. Pure.

Its smallest unit is our minor unit, but for ISK and UGX, which have no decimals with us and two with it: what is paid
is whole there, too, but a fee need not be.
"""

from __future__ import annotations

from inventory.money import Money, decimals_of

WRITTEN_WITH_TWO = ("ISK", "UGX")

TIMES = 100
"""How many of the provider's units of these are one of ours."""


def decimals_there(currency: str) -> int:
    """How many decimals an amount of the provider has in this currency."""
    return 2 if currency in WRITTEN_WITH_TWO else decimals_of(currency)


def in_words(amount: int, currency: str, language: str | None = None) -> str:
    """What the provider counts, for readers of ``language`` (by default the active one): "−84.00 €"."""
    if currency not in WRITTEN_WITH_TWO:
        return Money(amount, currency).format(language)
    # No currency of two decimals has this name, so that the figures come out with two.
    return Money(amount, "XXX").format(language).replace("XXX", currency)
