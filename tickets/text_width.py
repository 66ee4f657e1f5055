"""How wide a text becomes in print, before it is laid out: the sum of its letters' advances, in em."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache

from tickets.ticket_assets import FONTS, WIDEST_FONT

IDEOGRAPH = 1.0
EMOJI = 1.25
HALF_A_FLAG = 0.63
SOUTH_INDIAN = 0.9
OTHER_SCRIPT = 0.68
"""In Noto's bold fonts, on average: Arabic 0.67, Thai 0.65, Devanagari 0.61."""
SPACING_MARK = 0.4


def width_of(text: str) -> float:
    """The width in em of the type size: exact for our own font in bold without kerning, near enough for the others."""
    advances = _advances()
    return sum(advances.get(letter) or _elsewhere(letter) for letter in text)


def _elsewhere(letter: str) -> float:
    category = unicodedata.category(letter)
    if category in {"Mn", "Me", "Cf", "Cc"}:
        return 0
    if "\U0001f1e6" <= letter <= "\U0001f1ff":
        return HALF_A_FLAG
    if category == "Sk" and letter >= "\U0001f3fb":
        return 0  # a colour of skin
    if unicodedata.east_asian_width(letter) in "WF":
        return EMOJI if category == "So" or letter >= "\U0001f000" else IDEOGRAPH
    if category == "Mc":
        return SPACING_MARK
    return SOUTH_INDIAN if "\u0980" <= letter <= "\u0dff" else OTHER_SCRIPT


@cache
def _advances() -> Mapping[str, float]:
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # as slow to load as the renderer

    with TTFont(FONTS / WIDEST_FONT, lazy=True) as font:
        unit = font["head"].unitsPerEm
        widths = font["hmtx"].metrics
        return {chr(code): widths[glyph][0] / unit for code, glyph in font.getBestCmap().items()}
