"""All that is one slip away from a word: a letter too many, too few, another one, or two that changed places.

Some hundred words, each then looked up in an index by itself, which takes microseconds. So nothing needs to be compared
with a million rows, and a short word is forgiven its slip as a long one is ("jnoas" has hardly a trigram of "jonas").
"""

from __future__ import annotations

LONGEST = 64
"""Characters. Who has typed more has pasted it."""

_BLOCK = 64


def neighbours(word: str, *, alphabet: str) -> set[str]:
    """The words one slip away from this one, without itself. alphabet: the letters that may be missing or meant. Pure.

    Empty for a word longer than LONGEST.
    """
    if len(word) > LONGEST:
        return set()
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {head + tail[1:] for head, tail in cuts if tail}
    found |= {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    found |= {head + letter + tail[1:] for head, tail in cuts if tail for letter in alphabet}
    found |= {head + letter + tail for head, tail in cuts for letter in alphabet}
    return found - {word, ""}


def alphabet_of(word: str) -> str:
    """The Latin letters, and those that stand near the word's own ones in Unicode: of Cyrillic, Greek, Hebrew. Pure."""
    blocks = {ord(letter) // _BLOCK for letter in word if not letter.isascii()}
    others = (chr(code) for block in blocks for code in range(block * _BLOCK, (block + 1) * _BLOCK))
    return "abcdefghijklmnopqrstuvwxyz" + "".join(sorted({letter for letter in others if letter.isalpha()}))
