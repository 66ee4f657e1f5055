"""A name in Arabic or Hebrew within a sentence of another direction: its letters must not carry the rest along."""

from __future__ import annotations

import unicodedata

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def isolated(text: str) -> str:
    """The text between Unicode's marks for "a direction of its own" where it has letters from right to left.

    For subjects, mails in plain text and sentences, which have no markup for it. All others are returned as they are.
    """
    if text.isascii() or not any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text):
        return text
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"
