"""Which zones of a plan are standing areas, and where they are drawn."""

from __future__ import annotations

from typing import Any

import pytest

from inventory.standing import MIN_SIDE, Box, is_standing, standing_zones


def zone(*numbers: str, areas: object = None) -> dict[str, Any]:
    """Places on one point, 70/30 from the zone's origin, which is at 100/200."""
    seats = [
        {"seat_guid": str(nth), "seat_number": number, "position": {"x": 60, "y": 10}, "category": "All"}
        for nth, number in enumerate(numbers)
    ]
    rows = [{"row_number": "", "position": {"x": 10, "y": 20}, "seats": seats}]
    return {"name": "Floor", "position": {"x": 100, "y": 200}, "rows": rows, "areas": areas}


def test_a_zone_is_for_standing_when_none_of_its_places_has_a_number() -> None:
    assert is_standing(["", " ", ""])
    assert not is_standing(["", "12"])
    assert not is_standing([])
    assert set(standing_zones({"zones": [zone("1", "2"), zone("", ""), zone("", "3"), zone()]})) == {1}


@pytest.mark.parametrize(
    ("area", "box"),
    [
        ({"shape": "rectangle", "rectangle": {"width": 400, "height": 300}}, Box(105, 207, 400, 300)),
        ({"shape": "circle", "circle": {"radius": 200}}, Box(-95, 7, 400, 400)),
        ({"shape": "ellipse", "ellipse": {"radius": {"x": 200, "y": 100}}}, Box(-95, 107, 400, 200)),
        (
            {"shape": "polygon", "polygon": {"points": [{"x": 0, "y": 0}, {"x": 300, "y": 50}, {"x": 100, "y": 200}]}},
            Box(105, 207, 300, 200),
        ),
    ],
)
def test_people_stand_in_the_first_closed_area_of_the_zone(area: dict[str, Any], box: Box) -> None:
    words = {"shape": "text", "position": {"x": 0, "y": 0}, "text": {"text": "Standing"}}
    later = {"shape": "rectangle", "position": {"x": 0, "y": 0}, "rectangle": {"width": 1, "height": 1}}

    areas = [words, {**area, "position": {"x": 5, "y": 7}}, later]

    assert standing_zones({"zones": [zone("", areas=areas)]}) == {0: box}


@pytest.mark.parametrize(
    "areas",
    [
        None,
        [],
        "none",
        [None, 7, {"shape": "rectangle"}],
        [{"shape": "rectangle", "position": {"x": "left", "y": 0}, "rectangle": {"width": 9, "height": 9}}],
        [{"shape": "polygon", "position": {"x": 0, "y": 0}, "polygon": {"points": []}}],
    ],
)
def test_without_an_area_that_can_be_read_they_stand_around_their_places(areas: object) -> None:
    half = MIN_SIDE / 2

    assert standing_zones({"zones": [zone("", "", areas=areas)]}) == {0: Box(170 - half, 230 - half, 90, 90)}
