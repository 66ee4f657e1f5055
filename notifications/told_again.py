"""Occurrences of what is told again: ``refund:7#2`` is the second time after the first that ``refund:7`` is told. Pure.

What is before the mark says what a message is about, so its kind writes it as it did the first time.
"""

from __future__ import annotations

MARK = "#"


def again(*, occurrence: str, number: int) -> str:
    """The occurrence of what was planned as ``occurrence``, told for the ``number``-th time after that."""
    return f"{first_of(occurrence)}{MARK}{number}"


def first_of(occurrence: str) -> str:
    """The occurrence as it was planned the first time."""
    return occurrence.partition(MARK)[0]


def number_of(occurrence: str) -> int:
    """How many times it had been told before; 0 for the first time."""
    number = occurrence.partition(MARK)[2]
    return int(number) if number.isdecimal() else 0
