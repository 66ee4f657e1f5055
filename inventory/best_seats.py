"""Which of the free seats a fan would choose: together in one row, close to the stage, near the middle.

The stage is taken to be above the top of the plan, as plans are drawn. Pure functions; no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from statistics import median
from typing import NamedTuple

# Neighbours whose distance is more than this many times the usual one have an aisle or a pillar between them.
_AISLE = 1.6


class Place(NamedTuple):
    """A free seat: where it is, and the lapsed hold that it still belongs to, if any."""

    id: int
    zone: str
    row: str
    position: int
    x: float
    y: float
    lapsed_hold_id: int | None = None


def best_seats(places: Sequence[Place], *, count: int, middle: float) -> list[int]:
    """The ids of the best ``count`` of these places, or none when there are fewer.

    ``places`` are free seats in the order of the plan, ``middle`` is the x of the middle of the stage. Seats in one
    row are preferred, else as few groups as possible, without leaving one person alone where that can be helped.
    """
    if len(places) < count:
        return []
    runs = list(_runs(places))
    for sizes in _splits(count):
        if chosen := _place_groups(runs, sizes, middle):
            return sorted(place.id for place in chosen)
    return []


def _runs(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Seats side by side: next to each other in the plan, in the same row, and no aisle between them."""
    widest = _AISLE * _usual_distance(places)
    run: list[Place] = []
    for place in places:
        if run and not (_follows(run[-1], place) and _distance(run[-1], place) <= widest):
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _usual_distance(places: Sequence[Place]) -> float:
    distances = [_distance(left, right) for left, right in pairwise(places) if _follows(left, right)]
    return median(distances) if distances else 0.0


def _follows(left: Place, right: Place) -> bool:
    return (left.zone, left.row, left.position + 1) == (right.zone, right.row, right.position)


def _distance(left: Place, right: Place) -> float:
    return hypot(left.x - right.x, left.y - right.y)


def _splits(count: int) -> list[tuple[int, ...]]:
    """All ways to split the party, best first: few groups, few people alone, groups of like size."""
    return sorted(_partitions(count, count), key=lambda sizes: (len(sizes), sizes.count(1), max(sizes) - min(sizes)))


def _partitions(count: int, largest: int) -> Iterator[tuple[int, ...]]:
    if count == 0:
        yield ()
    for first in range(min(count, largest), 0, -1):
        for rest in _partitions(count - first, first):
            yield (first, *rest)


def _place_groups(runs: Sequence[Sequence[Place]], sizes: Sequence[int], middle: float) -> list[Place]:
    """The first group nearest to the middle of the stage, each further one nearest to the first."""
    chosen: list[Place] = []
    used: set[int] = set()
    near_x, near_y = middle, 0.0
    for size in sizes:
        group = _nearest_group(runs, size, used, near_x, near_y)
        if not group:
            return []
        if not chosen:
            near_x, near_y = _centre(group)
        chosen += group
        used.update(place.id for place in group)
    return chosen


def _nearest_group(
    runs: Sequence[Sequence[Place]], size: int, used: set[int], near_x: float, near_y: float
) -> Sequence[Place]:
    best: Sequence[Place] = []
    best_distance = float("inf")
    for run in runs:
        for start in range(len(run) - size + 1):
            group = run[start : start + size]
            x, y = _centre(group)
            distance = hypot(x - near_x, y - near_y)
            if distance < best_distance and used.isdisjoint(place.id for place in group):
                best, best_distance = group, distance
    return best


def _centre(group: Sequence[Place]) -> tuple[float, float]:
    return sum(place.x for place in group) / len(group), sum(place.y for place in group) / len(group)
