"""Where all seats of a show stand on its map, packed for the browser: see docs/seat-map.md for the form.

Integers in the map's own units, and differences where seats follow each other, since both compress well: a hall of
twelve thousand is a matter of tens of kilobytes. Pure; no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import hypot
from statistics import median
from typing import Any

from boxoffice.storefront.plan_shapes import Decoration, Shape, decoration_of
from boxoffice.storefront.seat_plan import LETTERS, MARGIN, PALETTE, PITCH
from inventory.models import PriceTier
from inventory.places import SeatPlace
from inventory.standing import MIN_SIDE, Box, is_standing, standing_zones
from inventory.templatetags.money import price

# A pair drawn on top of each other by mistake must not blow up the whole map: distances below this share of the usual
# one do not count.
LEAST_SHARE = 1 / 3
# Where no two seats are apart: a standing area of the least size is then some seats wide.
SEATS_PER_SIDE = 3


def lay_out(*, places: Sequence[SeatPlace], tiers: Sequence[PriceTier], document: Mapping[str, Any]) -> dict[str, Any]:
    """The layout of these places, which come in the order of the plan, with prices in the active language.

    tiers: all of the show, in the order of the price list. document: the plan's, for its decoration and the outlines
    of its standing areas.
    """
    zones = _zones(places, _boxes_by_first_place(document))
    decoration = decoration_of(document)
    frame = _Frame.around(zones, decoration)
    index_of_tier = {tier.pk: index for index, tier in enumerate(tiers)}
    return {
        "size": [frame.width, frame.height],
        "stage": frame.box(decoration.stage.box) if decoration.stage else None,
        "shapes": [_drawn(shape, frame) for shape in decoration.shapes if frame.shows(shape)],
        "tiers": [_tier(index, tier) for index, tier in enumerate(tiers)],
        "zones": [_zone(zone, frame, index_of_tier) for zone in zones],
    }


@dataclass(frozen=True)
class _Zone:
    """Places that follow each other under one name; ``box`` is set for a standing area."""

    name: str
    places: list[SeatPlace]
    box: Box | None


def _zones(places: Sequence[SeatPlace], boxes: Mapping[int, Box]) -> list[_Zone]:
    zones = []
    first = 0
    for name, in_zone in groupby(places, key=lambda place: place.zone):
        group = list(in_zone)
        standing = is_standing(place.number for place in group)
        zones.append(_Zone(name, group, (boxes.get(first) or _box_around(group)) if standing else None))
        first += len(group)
    return zones


def _boxes_by_first_place(document: Mapping[str, Any]) -> dict[int, Box]:
    """The plan's standing areas by the index of their first place among all."""
    boxes, standing, first = {}, standing_zones(document), 0
    for index, zone in enumerate(document["zones"]):
        if index in standing:
            boxes[first] = standing[index]
        first += sum(len(row["seats"]) for row in zone["rows"])
    return boxes


def _box_around(places: Sequence[SeatPlace]) -> Box:
    left, top = min(place.x for place in places), min(place.y for place in places)
    width, height = max(place.x for place in places) - left, max(place.y for place in places) - top
    wide, high = max(width, MIN_SIDE), max(height, MIN_SIDE)
    return Box(left - (wide - width) / 2, top - (high - height) / 2, wide, high)


@dataclass(frozen=True)
class _Frame:
    """From the plan's unit to the map's."""

    scale: float
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, zones: Sequence[_Zone], decoration: Decoration) -> _Frame:
        boxes = [(b.x, b.y, b.x + b.width, b.y + b.height) for b in (zone.box for zone in zones) if b]
        boxes += [(p.x, p.y, p.x, p.y) for zone in zones if zone.box is None for p in zone.places]
        if decoration.stage:
            boxes.append(decoration.stage.box)
        left, top, right, bottom = _around(boxes)
        # Decoration makes the map larger as long as it is part of the picture, and is left out when it lies far off.
        across, down = (right - left) / 4 + MIN_SIDE, (bottom - top) / 4 + MIN_SIDE
        near = _Frame(1.0, left - across, top - down, right + across, bottom + down)
        boxes = [(left, top, right, bottom), *(shape.box for shape in decoration.shapes if near.shows(shape))]
        scale = PITCH / _spacing([place for zone in zones if zone.box is None for place in zone.places])
        margin = MARGIN / scale
        left, top, right, bottom = _around(boxes)
        return cls(scale, left - margin, top - margin, right + margin, bottom + margin)

    @property
    def width(self) -> int:
        return self.length(self.right - self.left)

    @property
    def height(self) -> int:
        return self.length(self.bottom - self.top)

    def shows(self, shape: Shape) -> bool:
        left, top, right, bottom = shape.box
        return self.left <= left and self.top <= top and right <= self.right and bottom <= self.bottom

    def x(self, x: float) -> int:
        return round((x - self.left) * self.scale)

    def y(self, y: float) -> int:
        return round((y - self.top) * self.scale)

    def length(self, length: float) -> int:
        return round(length * self.scale)

    def box(self, box: tuple[float, float, float, float]) -> list[int]:
        """x, y, width and height."""
        left, top, right, bottom = box
        return [self.x(left), self.y(top), self.length(right - left), self.length(bottom - top)]


def _around(boxes: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float, float]:
    if not boxes:
        return 0.0, 0.0, MIN_SIDE, MIN_SIDE
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _spacing(places: Sequence[SeatPlace]) -> float:
    """The distance of the seats that stand closest among those next to each other, in the plan's unit.

    Neighbours are seats that follow each other, and the first seats of rows that do.
    """
    firsts = [next(in_row) for _, in_row in groupby(places, key=lambda place: (place.zone, place.row))]
    distances = [hypot(b.x - a.x, b.y - a.y) for a, b in (*pairwise(places), *pairwise(firsts))]
    usual = median(distances) if distances else 0.0
    return min((d for d in distances if d > usual * LEAST_SHARE), default=MIN_SIDE / SEATS_PER_SIDE)


def _tier(index: int, tier: PriceTier) -> dict[str, Any]:
    return {
        "id": tier.pk,
        "name": tier.name,
        "letter": LETTERS[index % len(LETTERS)],
        "color": index % PALETTE + 1,
        "price": price(tier.money),
        "amount": tier.price,
        "wheelchair": tier.wheelchair,
    }


def _zone(zone: _Zone, frame: _Frame, index_of_tier: Mapping[int, int]) -> dict[str, Any]:
    if zone.box is not None:
        box = zone.box
        row = {
            "name": "",
            "ids": _differences([p.id for p in zone.places]),
            "tiers": _tiers(zone.places, index_of_tier),
        }
        corners = (box.x, box.y, box.x + box.width, box.y + box.height)
        return {"name": zone.name, "standing": True, "box": frame.box(corners), "rows": [row]}
    rows = [(name, list(in_row)) for name, in_row in groupby(zone.places, key=lambda place: place.row)]
    return {
        "name": zone.name,
        "standing": False,
        "rows": [
            {
                "name": name,
                "ids": _differences([place.id for place in in_row]),
                "x": _differences([frame.x(place.x) for place in in_row]),
                "y": _differences([frame.y(place.y) for place in in_row]),
                "tiers": _tiers(in_row, index_of_tier),
                "numbers": _numbers([place.number for place in in_row]),
            }
            for name, in_row in rows
        ],
    }


def _tiers(places: Iterable[SeatPlace], index_of_tier: Mapping[int, int]) -> list[list[int]]:
    runs = groupby(places, key=lambda place: place.tier_id)
    return [[index_of_tier[tier_id], sum(1 for _ in run)] for tier_id, run in runs]


def _numbers(numbers: Sequence[str]) -> list[str] | list[int]:
    """``[first, step]`` where they count evenly, as they do in most rows."""
    try:
        first = int(numbers[0])
        step = int(numbers[1]) - first if len(numbers) > 1 else 1
    except ValueError:
        return list(numbers)
    even = [str(first + nth * step) for nth in range(len(numbers))]
    return [first, step] if list(numbers) == even else list(numbers)


def _differences(values: Sequence[int]) -> list[int]:
    """The first value, and for each further one how much more it is than the one before."""
    return [values[0], *(after - before for before, after in pairwise(values))]


def _drawn(shape: Shape, frame: _Frame) -> dict[str, Any]:
    drawn: dict[str, Any] = {"kind": shape.kind}
    left, top, right, bottom = shape.box
    match shape.kind:
        case "rectangle":
            drawn |= dict(zip(("x", "y", "w", "h"), frame.box(shape.box), strict=True))
        case "circle" | "ellipse":
            drawn |= {"x": frame.x((left + right) / 2), "y": frame.y((top + bottom) / 2)}
            drawn |= {"rx": frame.length((right - left) / 2), "ry": frame.length((bottom - top) / 2)}
        case "polygon":
            drawn["points"] = [value for x, y in shape.points for value in (frame.x(x), frame.y(y))]
    if shape.turn:
        drawn["turn"] = round(shape.turn)
    if shape.words:
        x, y = shape.words_at
        drawn |= {"text": shape.words, "at": [frame.x(x), frame.y(y)], "size": max(frame.length(shape.size), 1)}
    return drawn
