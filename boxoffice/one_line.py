"""A text that somebody typed or pasted, for a place that has one line: a mail's subject, an entry of a calendar."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """Without line breaks, and without controls: one that was pasted into a title must not keep all its mails back."""
    printed = (" " if unicodedata.category(character) == "Cc" else character for character in text)
    return " ".join("".join(printed).split())
