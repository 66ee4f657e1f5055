"""Texts from outside as they may be printed: without what no font draws and what only does mischief."""

from __future__ import annotations

import unicodedata

MARKS_ON_A_LETTER = 4
"""A Hebrew letter may bear that many at once: its dot, a vowel, a dagesh and an accent. More would climb out of the
line and over the lines around it."""

# Characters that steer the direction of all that follows, out of the place of the text itself. The plain marks
# (U+200E, U+200F, U+061C) stay: they stand for a letter, and good Arabic and Hebrew needs them.
_STEERING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
# Marks of a gloss between the lines, which no font draws and which spoil the text that is copied from the page.
_GLOSS = range(0xFFF9, 0xFFFC)
_NEVER_DRAWN = {"Cc", "Co", "Cs"}  # control characters, private use, halves of surrogate pairs


def printable(text: str) -> str:
    """The text in one line: white space is one space each, marks are bounded, control characters are left out.

    Joiners and variation selectors stay, since emoji, Persian and Indian scripts are spelt with them.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept: list[str] = []
    marks = 0
    for letter in text:
        category = unicodedata.category(letter)
        marks = marks + 1 if category in {"Mn", "Me"} and not _selects_a_variant(letter) else 0
        if marks <= MARKS_ON_A_LETTER and not _is_left_out(letter, category):
            kept.append(letter)
    return " ".join("".join(kept).split())


def _is_left_out(letter: str, category: str) -> bool:
    if letter.isspace():
        return False
    code = ord(letter)
    return category in _NEVER_DRAWN or code in _STEERING or code in _GLOSS or _is_no_character(code)


def _is_no_character(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _selects_a_variant(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
