"""The direction in which a text is read, by its first letter that has one: as HTML's ``dir=auto``."""

from __future__ import annotations

import unicodedata

_STRONG = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def direction_of(text: str) -> str:
    """``rtl`` when the first letter with a direction of its own is Arabic, Hebrew or the like, else ``ltr``."""
    if text.isascii():
        return "ltr"
    return next((_STRONG[kind] for kind in map(unicodedata.bidirectional, text) if kind in _STRONG), "ltr")
