"""Telling a slip of the keyboard in a name from another person's name. Pure."""

from __future__ import annotations

import unicodedata

MOST_KEYS = 3
"""Letters too many, too few, wrong or swapped. Tickets that name somebody else are for staff to change."""

SHARE = 3
"""And no more than one letter in so many: in a short name three other letters are another name."""

LONGEST = 400
"""Letters that are compared one by one: some signs stand for eighteen, and the work grows with the square."""


def is_slip(*, earlier: str, now: str) -> bool:
    """Whether ``now`` is ``earlier`` with a small slip put right.

    Capitals, accents and what stands between words count nothing, nor does the order of the words.
    """
    before, after = _folded(earlier), _folded(now)
    if sorted(before) == sorted(after):
        return bool(before) or earlier == now
    typed, meant = " ".join(before), " ".join(after)
    most = min(MOST_KEYS, max(1, len(typed.replace(" ", "")) // SHARE))
    if abs(len(typed) - len(meant)) > most or len(typed) > LONGEST:
        return False
    return keys_between(typed, meant) <= most


def keys_between(one: str, other: str) -> int:
    """How many keys lie between two words: a letter added, left out, another one, or two neighbours swapped."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        this = [row]
        for column, its in enumerate(other, start=1):
            least = min(last[column] + 1, this[column - 1] + 1, last[column - 1] + (letter != its))
            if row > 1 and column > 1 and letter == other[column - 2] and its == one[row - 2]:
                least = min(least, before_last[column - 2] + 1)
            this.append(least)
        before_last, last = last, this
    return last[-1]


def _folded(name: str) -> list[str]:
    """The words of a name, without accents, capitals and signs."""
    letters = (
        character if unicodedata.category(character)[0] in "LN" else " "
        for character in unicodedata.normalize("NFKD", name.casefold())
        if unicodedata.category(character)[0] != "M" and character not in "'’.-‐"
    )
    return "".join(letters).split()
