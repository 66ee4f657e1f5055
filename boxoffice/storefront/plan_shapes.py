"""The decoration of a seating plan, as far as the map shows it: stage, outlines, words. In the plan's unit.

Decoration is not checked when a plan is taken in, so whatever cannot be read is left out. Pure; no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import Any

from inventory.standing import standing_zones

# What the stage is called in plans; an area with another name is decoration like any other.
STAGE_NAMES = {"stage", "main stage", "bühne", "hauptbühne", "scène", "escenario", "palco", "podium"}
CLOSED = {"rectangle", "ellipse", "circle", "polygon"}
LONGEST_TEXT = 80
MOST_SHAPES = 400
MOST_POINTS = 200


@dataclass(frozen=True)
class Shape:
    """An area of the plan. kind: ``rectangle``, ``ellipse``, ``circle``, ``polygon`` or ``text``.

    points: the corners of a polygon; of all others, the upper left and the lower right corner of the box around it; of
    a text its one place. turn: in degrees, clockwise. words stand at ``words_at``, letters ``size`` high.
    """

    kind: str
    points: list[tuple[float, float]]
    turn: float = 0.0
    words: str = ""
    words_at: tuple[float, float] = (0.0, 0.0)
    size: float = 16.0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        xs, ys = [x for x, _y in self.points], [y for _x, y in self.points]
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True)
class Decoration:
    """What a plan draws beside its places. Its shapes leave out the stage and the outlines of standing areas."""

    stage: Shape | None = None
    shapes: list[Shape] = field(default_factory=list)


def decoration_of(document: Mapping[str, Any]) -> Decoration:
    """The decoration of a sound plan's document."""
    stage: Shape | None = None
    shapes: list[Shape] = []
    for shape in _shapes(document):
        if stage is None and shape.kind in CLOSED and shape.words.casefold() in STAGE_NAMES:
            stage = shape
        elif len(shapes) < MOST_SHAPES:
            shapes.append(shape)
    return Decoration(stage=stage, shapes=shapes)


def _shapes(document: Mapping[str, Any]) -> Iterator[Shape]:
    standing = standing_zones(document)
    for index, zone in enumerate(document["zones"]):
        areas = zone.get("areas")
        outlined = index not in standing
        for area in areas if isinstance(areas, list) else []:
            shape = _read(area, zone["position"]["x"], zone["position"]["y"])
            if shape is None:
                continue
            # The first closed area of a standing zone is the zone itself.
            if not outlined and shape.kind in CLOSED:
                outlined = True
                continue
            yield shape


def _read(area: Any, left: float, top: float) -> Shape | None:
    try:
        kind = area["shape"]
        x, y = left + float(area["position"]["x"]), top + float(area["position"]["y"])
        words, words_at, size = _words(area.get("text"), x, y)
        points = _points(kind, area, x, y) or [words_at]
        if kind not in CLOSED and not words:
            return None
        turn = float(area.get("rotation") or 0) % 360
        if not all(map(isfinite, (turn, size, *words_at, *chain.from_iterable(points)))):
            return None
        return Shape(kind if kind in CLOSED else "text", points, turn, words, words_at, size)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return None


def _points(kind: str, area: Mapping[str, Any], x: float, y: float) -> list[tuple[float, float]]:
    match kind:
        case "rectangle":
            return [(x, y), (x + float(area[kind]["width"]), y + float(area[kind]["height"]))]
        case "circle":
            across = down = float(area[kind]["radius"])
        case "ellipse":
            across, down = float(area[kind]["radius"]["x"]), float(area[kind]["radius"]["y"])
        case "polygon":
            corners = area[kind]["points"][:MOST_POINTS]
            return [(x + float(corner["x"]), y + float(corner["y"])) for corner in corners]
        case _:
            return []
    return [(x - across, y - down), (x + across, y + down)]


def _words(text: Any, x: float, y: float) -> tuple[str, tuple[float, float], float]:
    if not isinstance(text, Mapping) or not isinstance(text.get("text"), str):
        return "", (x, y), 0.0
    at = text.get("position") or {"x": 0, "y": 0}
    return text["text"].strip()[:LONGEST_TEXT], (x + float(at["x"]), y + float(at["y"])), float(text.get("size") or 16)
