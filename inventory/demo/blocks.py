"""Blocks of seats in arcs, as zones of a plan in pretix's JSON: what the demo's large halls are put together from.

Pure, and the same each time: a plan that is built again is the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any
from uuid import NAMESPACE_URL, uuid5

# In the plan's unit, of which sixty are about a metre.
SEAT_PITCH = 30.0
ROW_PITCH = 34.0
WHEELCHAIR_PITCH = 44.0
AISLE = 64.0
SEAT_RADIUS = 11

PAPER = "#e2dbd0"
LINE = "#6b645a"
INK = "#1c1a17"

Point = tuple[float, float]
Json = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """Rows around ``centre``, the first one ``radius`` away from it, from one angle to another.

    Angles are in degrees: 0 points down the plan, away from the stage, and they grow to the right. ``aisle`` is what
    is left free in all, half of it on each side. wheelchairs: behind the rows is one more, on a landing, where places
    of this category alternate with seats for who comes along.
    """

    name: str
    category: str
    centre: Point
    radius: float
    start: float
    end: float
    rows: tuple[str, ...]
    aisle: float = AISLE
    wheelchairs: str = ""

    @property
    def depth(self) -> float:
        """From the first row to the last."""
        return (len(self.rows) - 1) * ROW_PITCH

    def zone(self) -> Json:
        """The zone of this block; it stands where the middle of its first row is."""
        origin = self._at(self.radius, (self.start + self.end) / 2)
        rows = [
            self._row(name, self.radius + nth * ROW_PITCH, SEAT_PITCH, (self.category,), origin)
            for nth, name in enumerate(self.rows)
        ]
        if self.wheelchairs:
            landing = self.radius + self.depth + 2 * ROW_PITCH
            rows.append(self._row("W", landing, WHEELCHAIR_PITCH, (self.wheelchairs, self.category), origin))
        return zone(self.name, origin, rows)

    def _row(self, name: str, radius: float, pitch: float, categories: tuple[str, ...], origin: Point) -> Json:
        step = pitch / radius
        half = (radians(self.end - self.start) - self.aisle / radius) / 2
        count = int(2 * half / step) + 1
        middle = radians((self.start + self.end) / 2)
        places = [self._at(radius, middle + step * (nth - (count - 1) / 2), in_degrees=False) for nth in range(count)]
        first = places[0]
        return {
            "row_number": name,
            "row_label": "Row %s",
            "seat_label": "Seat %s",
            "row_number_position": "both",
            "position": position(first, origin),
            "seats": [
                seat(
                    f"{slug(self.name)}-{name}-{nth + 1}", str(nth + 1), place, first, categories[nth % len(categories)]
                )
                for nth, place in enumerate(places)
            ],
        }

    def _at(self, radius: float, angle: float, *, in_degrees: bool = True) -> Point:
        angle = radians(angle) if in_degrees else angle
        x, y = self.centre
        return round(x + radius * sin(angle), 1), round(y + radius * cos(angle), 1)


def standing(name: str, category: str, corner: Point, size: Point, *, places: int) -> Json:
    """A standing area: ``places`` without a number, all in the middle of its rectangle, which is drawn."""
    middle = (size[0] / 2, size[1] / 2)
    row = {
        "row_number": "",
        "row_label": None,
        "seat_label": None,
        "row_number_position": None,
        "position": position(middle),
        "seats": [seat(f"{slug(name)}-{nth}", "", (0, 0), (0, 0), category) for nth in range(1, places + 1)],
    }
    return zone(name, corner, [row], [rectangle((0, 0), size)])


def zone(name: str, origin: Point, rows: list[Json], areas: Iterable[Json] = ()) -> Json:
    """A zone with these rows, and decoration; what is in it is placed from its ``origin``."""
    return {
        "zone_id": slug(name),
        "uuid": str(uuid5(NAMESPACE_URL, f"zone:{slug(name)}")),
        "name": name,
        "position": position(origin),
        "rows": rows,
        "areas": list(areas),
    }


def seat(guid: str, number: str, place: Point, row: Point, category: str) -> Json:
    return {
        "seat_guid": guid,
        "seat_number": number,
        "position": position(place, row),
        "category": category,
        "radius": SEAT_RADIUS,
    }


def rectangle(corner: Point, size: Point, *, words: str = "", letters: int = 16) -> Json:
    """A closed area, with words in its middle, ``letters`` high."""
    width, height = size
    area = _area("rectangle", corner) | {"rectangle": {"width": int(width), "height": int(height)}}
    return area | _words(words, (width / 2, height / 2), letters) if words else area


def text(place: Point, words: str, *, letters: int) -> Json:
    """Words on the plan."""
    return _area("text", place) | _words(words, (0, 0), letters)


def slug(name: str) -> str:
    """A zone's name as identifiers have it."""
    return name.lower().replace(" ", "-")


def position(place: Point, origin: Point = (0, 0)) -> Json:
    return {"x": round(place[0] - origin[0], 1), "y": round(place[1] - origin[1], 1)}


def count_places(zones: Iterable[Json]) -> int:
    """How many places these zones have."""
    return sum(len(row["seats"]) for zone in zones for row in zone["rows"])


def _area(shape: str, place: Point) -> Json:
    return {"shape": shape, "color": PAPER, "border_color": LINE, "rotation": 0, "position": position(place)}


def _words(words: str, place: Point, letters: int) -> Json:
    return {"text": {"position": position(place), "color": INK, "text": words, "size": letters}}
