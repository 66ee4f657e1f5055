"""Which zones of a plan are standing areas, and where these are.

A plan's format knows places only, so a standing area is a zone none of whose places has a number: as many places as
people may stand there, one row in the table of seats each, like any other. Nobody chooses one of them by its place, so
they may all lie on one point; what is drawn is the zone's first closed area, or what its places take up. A single
numbered place makes a zone a seated one. Pure; no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

# A box is never thinner, in the plan's unit: two seats and the way between them. Enough to be hit and to hold a name.
MIN_SIDE = 90.0


class Box(NamedTuple):
    """A rectangle in the plan's unit; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def is_standing(numbers: Iterable[str]) -> bool:
    """Whether a zone whose places have these numbers is a standing area: it has places, and none has a number."""
    has_places = False
    for number in numbers:
        if number.strip():
            return False
        has_places = True
    return has_places


def standing_zones(document: Mapping[str, Any]) -> dict[int, Box]:
    """The standing areas of a sound plan's document: index in its ``zones`` → where people stand."""
    return {
        index: _box(zone)
        for index, zone in enumerate(document["zones"])
        if is_standing(seat["seat_number"] for row in zone["rows"] for seat in row["seats"])
    }


def _box(zone: Mapping[str, Any]) -> Box:
    points = next(filter(None, map(_outline, _areas(zone))), None) or list(_places(zone))
    left, top = (min(point[axis] for point in points) for axis in (0, 1))
    right, bottom = (max(point[axis] for point in points) for axis in (0, 1))
    width, height = max(right - left, MIN_SIDE), max(bottom - top, MIN_SIDE)
    return Box(
        x=zone["position"]["x"] + (left + right - width) / 2,
        y=zone["position"]["y"] + (top + bottom - height) / 2,
        width=width,
        height=height,
    )


def _areas(zone: Mapping[str, Any]) -> list[Any]:
    areas = zone.get("areas")
    return areas if isinstance(areas, list) else []


def _places(zone: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    for row in zone["rows"]:
        for seat in row["seats"]:
            yield (
                row["position"]["x"] + seat["position"]["x"],
                row["position"]["y"] + seat["position"]["y"],
            )


def _outline(area: Any) -> list[tuple[float, float]]:
    """The corners around a closed area, from the zone's origin; none for text, and for what cannot be read.

    Decoration is not checked when a plan is taken in, so anything may be there.
    """
    try:
        shape = area["shape"]
        x, y = float(area["position"]["x"]), float(area["position"]["y"])
        match shape:
            case "rectangle":
                return [(x, y), (x + float(area[shape]["width"]), y + float(area[shape]["height"]))]
            case "circle":
                across = down = float(area[shape]["radius"])
            case "ellipse":
                across, down = float(area[shape]["radius"]["x"]), float(area[shape]["radius"]["y"])
            case "polygon":
                return [(x + float(point["x"]), y + float(point["y"])) for point in area[shape]["points"]]
            case _:
                return []
    except (KeyError, TypeError, ValueError):
        return []
    return [(x - across, y - down), (x + across, y + down)]
