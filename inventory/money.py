"""Money: an integer in the currency's minor unit, together with the currency. Never a float."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import get_language

# How many digits of a currency stand behind the decimal mark, where it is not two. Source: ISO 4217, list
# one; except MGA, whose fifths nobody writes as decimals and card networks do not know.
_WITHOUT_DECIMALS = frozenset(
    "BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split()  # noqa: SIM905
)
_WITH_THREE_DECIMALS = frozenset("BHD IQD JOD KWD LYD OMR TND".split())  # noqa: SIM905

# Signs that mean one currency to every reader, and whether an English reader expects them before the figure.
SIGNS = {"EUR": ("€", False), "USD": ("$", True), "GBP": ("£", True), "JPY": ("¥", True)}

_CODE = re.compile(r"[A-Z]{3}")
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, order=False)
class Money:
    """An amount in the currency's minor unit: ``Money(8400, "EUR")`` is 84 euros.

    Raises ValueError for what is no currency code, TypeError for an amount that is no integer.
    """

    amount: int
    currency: str

    def __post_init__(self) -> None:
        if not isinstance(self.amount, int) or isinstance(self.amount, bool):
            raise TypeError(f"An amount is a whole number of minor units, not {self.amount!r}.")
        if not _CODE.fullmatch(self.currency):
            raise ValueError(f"{self.currency!r} is not a currency code of three capital letters.")

    def __add__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added.")
        return Money(self.amount + other.amount, self.currency)

    def __bool__(self) -> bool:
        return self.amount != 0

    def __str__(self) -> str:
        return self.format()

    @classmethod
    def sum(cls, moneys: Iterable[Money], *, currency: str) -> Money:
        """The total of all; nothing at all is zero of ``currency``. Raises ValueError for another one."""
        return sum(moneys, start=cls(0, currency))

    def format(self, language: str | None = None) -> str:
        """The amount in figures for readers of ``language`` (by default the active one), unbroken over lines.

        ``Money(123450, "EUR")`` is "1,234.50 €" in English and "1.234,50 €" in German.
        """
        sign, leads = SIGNS.get(self.currency, (self.currency, False))
        figures = Money(abs(self.amount), self.currency).figures(language)
        before = leads and not _is_german(language)
        text = f"{sign}{figures}" if before else f"{figures}{_NO_BREAK_SPACE}{sign}"
        return f"{_MINUS}{text}" if self.amount < 0 else text

    def figures(self, language: str | None = None) -> str:
        """The same without the currency: "1,234.50", in German "1.234,50"."""
        figures = _figures(abs(self.amount), decimals_of(self.currency))
        if _is_german(language):
            figures = figures.translate(str.maketrans(",.", ".,"))
        return f"{_MINUS}{figures}" if self.amount < 0 else figures


def decimals_of(currency: str) -> int:
    """How many decimals the currency has: 0, 2 or 3."""
    if currency in _WITHOUT_DECIMALS:
        return 0
    return 3 if currency in _WITH_THREE_DECIMALS else 2


def _is_german(language: str | None) -> bool:
    return (language or get_language() or "en").startswith("de")


def _figures(amount: int, decimals: int) -> str:
    whole, part = divmod(amount, 10**decimals)
    return f"{whole:,}.{part:0{decimals}}" if decimals else f"{whole:,}"
