"""Which single seats a choice would leave behind. Pure; the browser has the same rule, and the same table of examples.

Few people come alone, so a seat alone between taken ones often stays empty. The word for it:

- A gap is a stretch of free seats side by side in one row, as it was before the choice. It ends at a taken seat, at an
  aisle, at a wheelchair place and at the end of the row.
- The choice leaves a seat alone that is free, was not alone in its gap, and has no free seat beside it any more.
- It is nobody's fault where one seat of the gap is left over in all: then any choice of as many would have left one.
  So a single visitor may take one of two seats, and two may take two of three, without a word.

    gap of five,  .....   two chosen   ##...  fine: three are left together
                                       .##..  a word: the first seat is alone
                                       #...#  fine
                                       #.#..  a word: the second seat is alone
    gap of three, ...     one chosen   #..    fine          .#.   a word: two seats are alone
                          two chosen   ##.    fine: one is left over, however they sit
    gap of two,   ..      one chosen   #.     fine: likewise
    gap of one,   .       not chosen          fine: it was alone before

Standing places have no neighbours and never come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from statistics import median_high
from typing import NamedTuple

# Neighbours whose distance is more than this many times the usual one of their row have an aisle between them.
AISLE = 1.6


class Spot(NamedTuple):
    """A seat of a row. state: ``free``, ``chosen`` or ``taken``; a wheelchair place counts as taken, even if free."""

    x: float
    y: float
    state: str


def lone_seats(row: Sequence[Spot]) -> list[int]:
    """The indexes of the seats that the chosen ones leave alone, of a row in the order of the plan."""
    lone: list[int] = []
    for gap in _gaps(row):
        left = {index for index in gap if row[index].state == "free"}
        if 1 < len(left) < len(gap):
            lone += [index for index in gap if index in left and left.isdisjoint((index - 1, index + 1))]
    return lone


def _gaps(row: Sequence[Spot]) -> Iterator[list[int]]:
    """The stretches of seats that were free before the choice, as indexes that follow each other."""
    distances = [hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(row)]
    widest = AISLE * median_high(distances) if distances else 0.0
    gap: list[int] = []
    for index, spot in enumerate(row):
        if gap and (spot.state == "taken" or distances[index - 1] > widest):
            yield gap
            gap = []
        if spot.state != "taken":
            gap.append(index)
    if gap:
        yield gap
