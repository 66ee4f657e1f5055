"""The demo's large halls: built from tables, and sound like any file."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from math import dist

import pytest

from inventory.demo.arena import CATEGORIES, arena_plan, blocks
from inventory.demo.concert_hall import concert_hall_plan
from inventory.demo.programme import VENUES, DemoVenue
from inventory.pretix_plan import Plan, PlanSeat, check_plan, read_plan
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


@pytest.mark.parametrize("house", VENUES, ids=lambda house: house.slug)
def test_no_two_seats_of_a_house_overlap_and_none_lies_outside_of_its_plan(house: DemoVenue) -> None:
    plan = check_plan(house.plan())
    seats = [seat for seat in plan.seats() if seat.number]

    assert closest(seats) > 29
    assert all(30 < seat.x < plan.width - 30 and 30 < seat.y < plan.height - 30 for seat in seats)


def test_the_concert_hall_has_two_floors_and_twelve_boxes_of_six() -> None:
    plan = check_plan(concert_hall_plan())
    zones = Counter(seat.zone for seat in plan.seats())

    assert 1150 < plan.seat_count < 1250
    assert [zone for zone, seats in zones.items() if seats == 6] == [f"Box {number}" for number in range(1, 13)]
    assert [category.name for category in plan.categories if category.wheelchair] == ["Wheelchair place"]


@pytest.mark.parametrize("house", VENUES, ids=lambda house: house.slug)
def test_a_plan_that_is_built_again_is_the_same_plan(house: DemoVenue) -> None:
    assert house.plan() == house.plan()


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
