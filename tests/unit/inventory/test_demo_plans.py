"""The demo's large halls: built from tables, and sound like any file."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from math import dist

import pytest

from inventory.demo.arena import CATEGORIES, HEIGHT, WIDTH, arena_plan, blocks
from inventory.pretix_plan import Plan, PlanSeat, read_plan
from inventory.standing import standing_zones


@pytest.fixture(scope="module")
def arena() -> Plan:
    return read_plan(json.dumps(arena_plan()).encode())


def test_the_arena_has_twelve_thousand_places_of_every_kind(arena: Plan) -> None:
    seats = list(arena.seats())
    places = Counter(seat.category for seat in seats)

    assert len(seats) == arena.seat_count == 12_000
    assert [category.name for category in arena.categories] == [str(category["name"]) for category in CATEGORIES]
    assert [category.name for category in arena.categories if category.wheelchair] == ["Wheelchair place"]
    assert min(places.values()) == places["Wheelchair place"] >= 40
    assert len(list(blocks())) == len({seat.zone for seat in seats if seat.number}) == 48


def test_in_the_arena_people_stand_in_front_of_the_stage_and_nobody_sits_there(arena: Plan) -> None:
    boxes = standing_zones(arena.document)
    zones = arena.document["zones"]

    assert [zones[index]["name"] for index in boxes] == ["Front standing", "Standing"]
    assert sum(seat.category == "Standing" for seat in arena.seats()) > 2000
    for box in boxes.values():
        inside = (
            seat
            for seat in arena.seats()
            if seat.number and box.x < seat.x < box.x + box.width and box.y < seat.y < box.y + box.height
        )
        assert not list(inside)


def test_no_two_seats_of_the_arena_overlap_and_none_lies_outside_of_the_plan(arena: Plan) -> None:
    seats = [seat for seat in arena.seats() if seat.number]

    assert closest(seats) > 29
    assert all(100 < seat.x < WIDTH - 100 and 100 < seat.y < HEIGHT - 100 for seat in seats)


def test_a_plan_that_is_built_again_is_the_same_plan() -> None:
    assert arena_plan() == arena_plan()


def closest(seats: Iterable[PlanSeat]) -> float:
    """The least distance between two of the seats, looking only at those that are near to each other."""
    near: defaultdict[tuple[int, int], list[PlanSeat]] = defaultdict(list)
    for seat in seats:
        for across in (0, 1):
            for down in (0, 1):
                near[int(seat.x // 60) + across, int(seat.y // 60) + down].append(seat)
    return min(
        dist((one.x, one.y), (other.x, other.y)) for cell in near.values() for one, other in combinations(cell, 2)
    )
