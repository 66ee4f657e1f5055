"""Which of the free seats a fan would choose: together in one row, close to the stage, near the middle.

The stage is taken to be above the top of the plan, as plans are drawn. Pure functions; no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from operator import itemgetter
from statistics import median
from typing import NamedTuple

# Neighbours whose distance is more than this many times the usual one have an aisle or a pillar between them.
AISLE = 1.6


class Place(NamedTuple):
    """A free seat: where it is, and the lapsed hold that it still belongs to, if any."""

    id: int
    zone: str
    row: str
    position: int
    x: float
    y: float
    lapsed_hold_id: int | None = None


Group = Sequence[Place]


def groups_together(places: Sequence[Place], *, count: int, middle: float) -> list[Group]:
    """All groups of ``count`` seats side by side, the one nearest to the middle of the stage first; those that leave
    a single seat alone come behind all others.

    ``places`` are free seats in the order of the plan, ``middle`` is the x of the middle of the stage.
    """
    choices = [
        (
            _left_alone(run, start, count),
            _distance_to(run[start : start + count], middle, 0.0),
            run[start : start + count],
        )
        for run in _runs(places)
        for start in range(len(run) - count + 1)
    ]
    return [group for _lone, _distance, group in sorted(choices, key=itemgetter(0, 1))]


def split_party(places: Sequence[Place], *, count: int, middle: float) -> Group:
    """The best ``count`` of these places where no row has room for all, or none where they are fewer.

    In as few groups as possible, without leaving one person alone where that can be helped, and near to each other.
    """
    runs = list(_runs(places))
    groups = {size: list(_groups(runs, size)) for size in range(1, count + 1)}
    for sizes in _splits(count):
        if chosen := _seat_groups(groups, sizes, middle):
            return chosen
    return []


def _runs(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Seats side by side: next to each other in the plan, in the same row, and no aisle between them."""
    widest = AISLE * _usual_distance(places)
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


def _groups(runs: Sequence[Sequence[Place]], size: int) -> Iterator[Group]:
    for run in runs:
        for start in range(len(run) - size + 1):
            yield run[start : start + size]


def _left_alone(run: Sequence[Place], start: int, size: int) -> int:
    """How many seats of the run would be alone without these; by the rule of lone_seats, so none where one is left over
    in all. Each run has a group that leaves none. Places that stand on one spot have no sides."""
    after = len(run) - size - start
    if start + after < 2 or _distance(run[0], run[1]) == 0:
        return 0
    return (start == 1) + (after == 1)


def _distance_to(group: Group, x: float, y: float) -> float:
    centre_x, centre_y = _centre(group)
    return hypot(centre_x - x, centre_y - y)


def _centre(group: Group) -> tuple[float, float]:
    return sum(place.x for place in group) / len(group), sum(place.y for place in group) / len(group)


def _splits(count: int) -> list[tuple[int, ...]]:
    """All ways to split the party, best first: few groups, few people alone, groups of like size."""
    return sorted(_partitions(count, count), key=lambda sizes: (len(sizes), sizes.count(1), max(sizes) - min(sizes)))


def _partitions(count: int, largest: int) -> Iterator[tuple[int, ...]]:
    if count == 0:
        yield ()
    for first in range(min(count, largest), 0, -1):
        for rest in _partitions(count - first, first):
            yield (first, *rest)


def _seat_groups(groups: dict[int, list[Group]], sizes: Sequence[int], middle: float) -> list[Place]:
    """The first group nearest to the middle of the stage, each further one nearest to the first."""
    chosen: list[Place] = []
    near = (middle, 0.0)
    for size in sizes:
        taken = {place.id for place in chosen}
        free = (group for group in groups[size] if taken.isdisjoint(place.id for place in group))
        best = min(free, key=lambda group: _distance_to(group, *near), default=None)
        if best is None:
            return []
        if not chosen:
            near = _centre(best)
        chosen += best
    return chosen
