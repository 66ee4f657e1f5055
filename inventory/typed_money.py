"""Amounts as people type and read them in forms: ``25.00``, ``25,00``, ``1.234,50 €``. Integers throughout, no floats.

What could mean two sums is refused and never guessed: whoever reads a thousand as one sells a house for nothing.
"""

from __future__ import annotations

import re
import unicodedata

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from inventory.money import SIGNS, Money, decimals_of

MOST_DIGITS = 12
"""Of an amount in the minor unit: far more than any seat costs in any currency, and sums of thousands fit a column."""

_FIGURES = re.compile(r"[0-9][0-9.,' ]*|[.,][0-9]+")
_APOSTROPHES = str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'"})
_MINUS_SIGNS = ("-", "\N{MINUS SIGN}", "\N{EN DASH}")


def read_amount(text: str, *, currency: str, language: str | None = None) -> int:
    """What was typed, in the minor unit of ``currency``; its sign or code may stand beside the figures.

    Both marks are read as decimal mark where only that makes sense; ``language`` (by default the active one) decides
    what stands between thousands. Raises ValueError, whose text says what to type instead.
    """
    typed = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    figures = " ".join(_without_currency(typed, currency).split())
    if figures.startswith(_MINUS_SIGNS):
        raise ValueError(_("A price cannot be negative."))
    if not _FIGURES.fullmatch(figures):
        raise ValueError(_an_example(currency))
    whole, part = _halves(figures, currency, language or get_language() or "en")
    decimals = decimals_of(currency)
    if len(part) > decimals:
        raise ValueError(_too_fine(currency))
    digits = (whole + part.ljust(decimals, "0")).lstrip("0") or "0"
    if len(digits) > MOST_DIGITS:
        raise ValueError(_("That is too much: at most %(most)s.") % {"most": Money(10**MOST_DIGITS - 1, currency)})
    return int(digits)


def amount_to_edit(amount: int, *, currency: str, language: str | None = None) -> str:
    """The figures of an amount as a field shows them, without the currency: "1,234.50", in German "1.234,50"."""
    return Money(amount, currency).figures(language)


def _without_currency(typed: str, currency: str) -> str:
    """Raises ValueError where another currency is named."""
    left = typed.strip()
    for name in filter(None, (currency, SIGNS.get(currency, ("", False))[0])):
        if left.upper().startswith(name):
            left = left[len(name) :]
        elif left.upper().endswith(name):
            left = left[: -len(name)]
    other = re.search(r"\b[A-Z]{3}\b|[€$£¥]", left)
    if other:
        raise ValueError(
            _("The show sells in %(currency)s, not in %(other)s.") % {"currency": currency, "other": other[0]}
        )
    return left


def _halves(figures: str, currency: str, language: str) -> tuple[str, str]:
    """The digits before and after the decimal mark."""
    marks = [mark for mark in figures if mark in ".,"]
    if not marks:
        return _ungrouped(figures, " '", currency), ""
    last = marks[-1]
    if len(set(marks)) == 2:
        # "1.234,50": the last one, which then stands there once
        whole, part = figures.rsplit(last, 1)
        return _ungrouped(whole, f"{marks[0]} '", currency), _digits(part, currency)
    if len(marks) > 1:
        return _ungrouped(figures, last, currency), ""
    whole, part = figures.split(last)
    between_thousands = "." if language.startswith("de") else ","
    if last == between_thousands and re.fullmatch("[0-9]{1,3}", whole) and len(part) == 3 and part.isdecimal():
        if decimals_of(currency) == 3:
            raise ValueError(_two_meanings(figures, whole, part, currency))
        return whole + part, ""
    return (_ungrouped(whole, " '", currency) if whole else "0"), _digits(part, currency)


def _ungrouped(whole: str, separators: str, currency: str) -> str:
    """Digits alone, or in groups of three with one kind of mark between them."""
    used = {mark for mark in whole if not mark.isdigit()}
    if len(used) > 1 or not used <= set(separators):
        raise ValueError(_an_example(currency))
    first, *groups = re.split("[^0-9]", whole)
    if not first or (groups and len(first) > 3) or any(len(group) != 3 for group in groups):
        raise ValueError(_an_example(currency))
    return first + "".join(groups)


def _digits(part: str, currency: str) -> str:
    if not re.fullmatch("[0-9]+", part):
        raise ValueError(_an_example(currency))
    return part


def _example(currency: str) -> str:
    return amount_to_edit(25 * 10 ** decimals_of(currency), currency=currency)


def _an_example(currency: str) -> str:
    return _("Type an amount, such as %(example)s.") % {"example": _example(currency)}


def _too_fine(currency: str) -> str:
    decimals = decimals_of(currency)
    words = {"currency": currency, "n": decimals, "example": _example(currency)}
    if not decimals:
        return _("%(currency)s has no decimals. Type an amount such as %(example)s.") % words
    return (
        ngettext(
            "%(currency)s has %(n)d decimal. Type an amount such as %(example)s.",
            "%(currency)s has %(n)d decimals. Type an amount such as %(example)s.",
            decimals,
        )
        % words
    )


def _two_meanings(figures: str, whole: str, part: str, currency: str) -> str:
    large, small = (
        amount_to_edit(int(digits), currency=currency) for digits in (f"{whole}{part}000", f"{whole}{part}")
    )
    words = _("“%(typed)s” can be read in two ways. Type %(large)s or %(small)s.")
    return words % {"typed": figures, "large": large, "small": small}
