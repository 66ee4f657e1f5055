"""Seats as people say them on the telephone: "C 5-8", "Stalls C5, C6", "row C, seat 12", or a label that was pasted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.db.models import BooleanField, ExpressionWrapper
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.errors import BoxOfficeError
from inventory.conditions import seat_is_free
from inventory.models import Seat

MOST = 200
"""Seats in one text; a larger group is several orders."""

_ROW = re.compile(r"(?:row|reihe)\s+(\S+)", re.IGNORECASE)
_WORDS = re.compile(r"\b(?:row|reihe|seats?|platz|plätze|places?|nr|no)\b\.?", re.IGNORECASE)
_RANGE = r"\d+[a-z]?(?:\s*[-–]\s*\d+)?"
_NUMBERS = re.compile(rf"({_RANGE}(?:\s+{_RANGE})*)$", re.IGNORECASE)


class UnreadableSeats(BoxOfficeError):
    """What was typed names no seat, or more than one; the message says which part."""


class SeatsNotFree(BoxOfficeError):
    """Seats that were sold, held or put aside before somebody named them: nobody was faster."""

    def __init__(self, labels: Sequence[str]) -> None:
        words = ngettext(
            "This seat is not free: %(seats)s. Choose another one.",
            "These seats are not free: %(seats)s. Choose others.",
            len(labels),
        )
        super().__init__(words % {"seats": "; ".join(labels)})


class HouseSeat(NamedTuple):
    """A seat of a show, with what is said of it, and whether anybody could take it now."""

    id: int
    zone: str
    row: str
    number: str
    tier_id: int
    is_free: bool

    @property
    def label(self) -> str:
        """As the plan calls it."""
        return Seat(zone=self.zone, row=self.row, number=self.number).label


@dataclass(frozen=True)
class FreeRow:
    """The free seats of a row: "Stalls, row C", "1–4, 7"."""

    place: str
    numbers: str
    count: int


def house_of(*, show_id: int) -> list[HouseSeat]:
    """All seats of the show in the order of the plan. One query."""
    is_free = ExpressionWrapper(seat_is_free(), output_field=BooleanField())
    seats = Seat.objects.filter(show_id=show_id).annotate(is_free=is_free).order_by("position")
    return [HouseSeat(*row) for row in seats.values_list("id", "zone", "row", "number", "tier_id", "is_free")]


def named_seats(*, text: str, house: Sequence[HouseSeat]) -> list[int]:
    """The ids of the seats that the text names, in its order, each once. Pure. Raises UnreadableSeats."""
    found: dict[int, None] = {}
    places: dict[tuple[str, str], list[HouseSeat]] = {}
    for seat in house:
        places.setdefault((seat.row.casefold(), seat.number.casefold()), []).append(seat)
    zones = sorted({seat.zone for seat in house if seat.zone}, key=len, reverse=True)
    for zone, row, number in _said(text, rows={row for row, _number in places}, zones=zones):
        found[_the_one(zone, row, number, places)] = None
        if len(found) > MOST:
            raise UnreadableSeats(_("These are more than %(n)d seats. Make several orders of them.") % {"n": MOST})
    return list(found)


def free_rows(house: Iterable[HouseSeat], *, tier_ids: Iterable[int]) -> list[FreeRow]:
    """What is free in these tiers, row by row. Pure. Places without a number are counted."""
    wanted = set(tier_ids)
    free = [seat for seat in house if seat.is_free and seat.tier_id in wanted]
    rows = []
    for (zone, row), group in groupby(free, key=lambda seat: (seat.zone, seat.row)):
        seats = list(group)
        place = Seat(zone=zone, row=row).label
        rows.append(FreeRow(place, ", ".join(_ranges([seat.number for seat in seats if seat.number])), len(seats)))
    return rows


def _said(text: str, *, rows: set[str], zones: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Zone, row and number of each seat, as far as they were said."""
    for entry in re.split(r"[;\n]+", text):
        zone = row = left = ""
        for part in entry.split(","):
            named, piece = _zone_in_front(part.strip(), zones)
            zone = named or zone
            if not piece:
                continue
            if alone := _ROW.fullmatch(piece):
                row, left = alone[1], left or piece
                continue
            numbers = _NUMBERS.search(piece)
            if numbers is None:
                zone, left = piece, left or piece
                continue
            left = ""
            head = _WORDS.sub(" ", piece[: numbers.start()]).split()
            said = re.findall(_RANGE, numbers[1], re.IGNORECASE)
            if head and (head[-1].casefold() in rows or len(said) == 1):
                zone, row = " ".join(head[:-1]) or zone, head[-1]
            elif len(said) > 1 and (head or not row):
                zone, row = " ".join(head) or zone, said.pop(0)
            for one in said:
                yield from ((zone, row, number) for number in _counted(one))
        if left:
            raise UnreadableSeats(_("“%(said)s” names no seat. Type it like C 5-8.") % {"said": left[:40]})


def _zone_in_front(piece: str, zones: Sequence[str]) -> tuple[str, str]:
    """A part of the house that the piece begins with, "Block 3" for one, and what is left of it. The longest first."""
    for zone in zones:
        if f"{piece} ".casefold().startswith(f"{zone} ".casefold()):
            return zone, piece[len(zone) :].strip()
    return "", piece


def _counted(said: str) -> list[str]:
    first, _dash, last = (part.strip() for part in re.sub("–", "-", said).partition("-"))
    if not last or not first.isdecimal():
        return [first]
    low, high = int(first[:6]), int(last[:6])
    if not low <= high < low + MOST:
        raise UnreadableSeats(_("“%(said)s” is no range of seats: type it like 5-8.") % {"said": said})
    return [str(number) for number in range(low, high + 1)]


def _the_one(zone: str, row: str, number: str, places: Mapping[tuple[str, str], Sequence[HouseSeat]]) -> int:
    said = " ".join(filter(None, (zone, row, number)))
    if not row:
        raise UnreadableSeats(_("Which row is seat %(number)s in? Type it like C 5.") % {"number": number})
    alike = places.get((row.casefold(), number.casefold()), ())
    fits = [seat for seat in alike if zone.casefold() in seat.zone.casefold()]
    exact = [seat for seat in fits if seat.zone.casefold() == zone.casefold()]
    fits = exact or fits
    if not fits:
        raise UnreadableSeats(_("There is no seat “%(said)s” in this house. Nothing was changed.") % {"said": said})
    if len(fits) > 1:
        zones = ", ".join(sorted({seat.zone for seat in fits}))
        raise UnreadableSeats(
            _("“%(said)s” is in several parts of the house: %(zones)s. Say in which, like %(example)s.")
            % {"said": said, "zones": zones, "example": f"{fits[0].zone} {row} {number}"}
        )
    return fits[0].id


def _ranges(numbers: Sequence[str]) -> Iterator[str]:
    """ "1", "2", "3", "7" become "1–3", "7"; what is no number stands alone."""
    known = sorted(int(n) for n in numbers if n.isdecimal())
    for _gap, group in groupby(enumerate(known), key=lambda pair: pair[1] - pair[0]):
        run = [number for _place, number in group]
        yield f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0])
    yield from (n for n in numbers if not n.isdecimal())
