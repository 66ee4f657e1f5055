"""The lines of a door list, by name or by seat, in parts that can be shown and printed one by one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from boxoffice.shows.read_house import Place

LINES = 400
"""Of one part: some eight printed pages, what one person at a door looks through, and laid out in a moment."""


class Line(NamedTuple):
    """What stands in one line: an order's tickets of one name, or one ticket."""

    name: str
    order_code: str
    places: Sequence[Place]


@dataclass(frozen=True)
class Part:
    """Lines that stand together, and from what to what they go."""

    first: str
    last: str
    lines: Sequence[Line]

    @property
    def tickets(self) -> int:
        return sum(len(line.places) for line in self.lines)


def by_seat(places: Iterable[Place]) -> list[Line]:
    """One line for each ticket, in the order of the plan."""
    return [Line(place.name, place.order_code, (place,)) for place in places]


def by_name(places: Iterable[Place]) -> list[Line]:
    """One line for an order's tickets of one name, by the last word of it, as people say their names at the door."""
    ordered = sorted(places, key=lambda each: (surname(each.name), each.name.casefold(), each.order_code))
    groups = groupby(ordered, key=lambda each: (each.name, each.order_code))
    return [Line(name, order_code, list(own)) for (name, order_code), own in groups]


def parts_by_seat(lines: Sequence[Line], *, most: int = LINES) -> list[Part]:
    """The lines in parts that begin with a row of the house, unless a row is longer than a part."""
    rows = groupby(lines, key=lambda line: (line.places[0].zone, line.places[0].row))
    return [
        Part(_row_of(lines[0]), _row_of(lines[-1]), lines) for lines in _packed([list(row) for _, row in rows], most)
    ]


def parts_by_name(lines: Sequence[Line], *, most: int = LINES) -> list[Part]:
    """The lines in parts that begin with a name: nobody of that name stands in the part before, unless very many do."""
    names = groupby(lines, key=lambda line: surname(line.name))
    return [
        Part(_last_word(lines[0]), _last_word(lines[-1]), lines)
        for lines in _packed([list(group) for _, group in names], most)
    ]


def surname(name: str) -> str:
    """What somebody is looked up by: the last word of his name, in small letters."""
    words = name.casefold().split()
    return words[-1] if words else ""


def _last_word(line: Line) -> str:
    words = line.name.split()
    return words[-1] if words else "–"


def _row_of(line: Line) -> str:
    place = line.places[0]
    return place._replace(number="").label


def _packed(groups: Iterable[list[Line]], most: int) -> list[list[Line]]:
    """Groups that belong together put into as few lists as hold ``most`` lines each; longer ones are cut."""
    packed: list[list[Line]] = []
    for group in groups:
        if packed and len(packed[-1]) + len(group) <= most:
            packed[-1] += group
        else:
            packed += [group[first : first + most] for first in range(0, len(group), most)]
    return packed
