"""The layout of a hall as browsers get it."""

from __future__ import annotations

from typing import Any

import pytest

from boxoffice.storefront.seat_layout import lay_out
from boxoffice.storefront.seat_plan import PITCH
from inventory.models import PriceTier, Show
from inventory.places import SeatPlace

SHOW = Show(id=1, currency="EUR")
TIERS = [
    PriceTier(id=71, show=SHOW, name="Front", price=0, position=0),
    PriceTier(id=72, show=SHOW, name="House", price=4500, position=1, wheelchair=True),
]


def place(number: int, *, x: float, y: float = 0, row: str = "A", zone: str = "Stalls", tier: int = 71) -> SeatPlace:
    return SeatPlace(id=number, tier_id=tier, zone=zone, row=row, number=str(number), x=x, y=y)


def zone(name: str, seats: list[SeatPlace], *areas: dict[str, Any]) -> dict[str, Any]:
    """A zone of the plan's document, as far as the layout reads it."""
    inside = [{"seat_number": seat.number, "position": {"x": seat.x, "y": seat.y}} for seat in seats]
    rows = [{"position": {"x": 0, "y": 0}, "seats": inside}]
    return {"name": name, "position": {"x": 0, "y": 0}, "rows": rows, "areas": list(areas)}


def rectangle(x: float, y: float, width: float, height: float, words: str = "") -> dict[str, Any]:
    area: dict[str, Any] = {"shape": "rectangle", "position": {"x": x, "y": y}}
    area["rectangle"] = {"width": width, "height": height}
    return area | ({"text": {"text": words, "position": {"x": width / 2, "y": height / 2}}} if words else {})


def laid_out(seats: list[SeatPlace], *zones: dict[str, Any]) -> dict[str, Any]:
    return lay_out(places=seats, tiers=TIERS, document={"zones": zones or [zone("Stalls", seats)]})


def undone(differences: list[int]) -> list[int]:
    return [sum(differences[: nth + 1]) for nth in range(len(differences))]


def test_neighbours_stand_one_pitch_apart_whatever_unit_the_plan_has() -> None:
    for unit in (0.5, 30, 1000):
        (stalls,) = laid_out([place(1, x=5 * unit), place(2, x=6 * unit), place(3, x=8 * unit)])["zones"]
        first, *further = undone(stalls["rows"][0]["x"])
        assert [x - first for x in further] == [PITCH, 3 * PITCH]


def test_a_pair_that_was_drawn_on_top_of_each_other_does_not_blow_up_the_map() -> None:
    seats = [place(nth, x=30.0 * nth) for nth in range(1, 20)]
    assert laid_out([*seats, place(20, x=570.001)])["size"][0] < 40 * PITCH


def test_a_row_says_what_its_seats_are_in_differences_and_runs() -> None:
    seats = [place(11, x=0), place(13, x=30, tier=72), place(15, x=60, tier=72)]
    (stalls,) = laid_out(seats)["zones"]
    (row,) = stalls["rows"]
    assert (row["ids"], row["numbers"], row["tiers"]) == ([11, 2, 2], [11, 2], [[0, 1], [1, 2]])
    assert (stalls["name"], stalls["standing"], row["name"]) == ("Stalls", False, "A")


def test_numbers_that_do_not_count_evenly_are_told_one_by_one() -> None:
    for numbers in (["1", "2", "4"], ["01", "02", "03"], ["12a", "13a", "14a"]):
        seats = [place(nth, x=30.0 * nth)._replace(number=number) for nth, number in enumerate(numbers)]
        assert laid_out(seats)["zones"][0]["rows"][0]["numbers"] == numbers


def test_tiers_come_with_letter_price_and_whether_they_are_for_wheelchairs() -> None:
    tiers = laid_out([place(1, x=0)])["tiers"]
    assert tiers[0] == {
        "id": 71,
        "name": "Front",
        "letter": "A",
        "color": 1,
        "price": "free",
        "amount": 0,
        "wheelchair": False,
    }
    assert (tiers[1]["price"], tiers[1]["amount"], tiers[1]["wheelchair"]) == ("45.00\N{NO-BREAK SPACE}€", 4500, True)


def test_a_standing_area_is_a_box_with_ids_and_lies_where_its_outline_is() -> None:
    seats = [place(1, x=0), place(2, x=30)]
    floor = [place(nth, x=500, y=500, zone="Floor", row="")._replace(number="") for nth in (3, 4, 5)]
    layout = laid_out(
        [*seats, *floor],
        zone("Stalls", seats),
        zone("Floor", floor, rectangle(400, 400, 200, 300), rectangle(0, 0, 9, 9)),
    )
    stalls, standing = layout["zones"]
    x, y = stalls["rows"][0]["x"][0], stalls["rows"][0]["y"][0]
    assert standing == {
        "name": "Floor",
        "standing": True,
        "box": [x + 320, y + 320, 160, 240],  # thirty of the plan's units are a pitch
        "rows": [{"name": "", "ids": [3, 1, 1], "tiers": [[0, 3]]}],
    }
    assert [shape["w"] for shape in layout["shapes"]] == [7], "the outline is not drawn a second time"


def test_the_stage_is_told_by_its_name_and_other_decoration_is_kept() -> None:
    seats = [place(1, x=0, y=100), place(2, x=30, y=100)]
    areas = [
        rectangle(0, 0, 60, 30, "Bühne"),
        rectangle(0, 60, 30, 15, "Bar"),
        {"shape": "circle", "position": {"x": 45, "y": 75}, "circle": {"radius": 15}, "rotation": 30},
        {
            "shape": "polygon",
            "position": {"x": 0, "y": 60},
            "polygon": {"points": [{"x": 0, "y": 0}, {"x": 30, "y": 15}]},
        },
        {"shape": "text", "position": {"x": 30, "y": 60}, "text": {"text": "Exit", "position": {"x": 0, "y": 0}}},
        rectangle(90_000, 0, 10, 10, "far off"),
    ]
    layout = laid_out(seats, zone("Stalls", seats, *areas))
    assert layout["stage"][2:] == [48, 24]
    assert [shape["kind"] for shape in layout["shapes"]] == ["rectangle", "circle", "polygon", "text"]
    bar, circle, polygon, text = layout["shapes"]
    assert (bar["text"], bar["w"], bar["h"]) == ("Bar", 24, 12)
    assert (circle["rx"], circle["ry"], circle["turn"]) == (12, 12, 30)
    assert len(polygon["points"]) == 4
    assert text["text"] == "Exit"
    assert layout["size"][0] < 500


def at_the_corner(shape: str, **how: Any) -> dict[str, Any]:
    return {"shape": shape, "position": {"x": 0, "y": 0}, **how}


@pytest.mark.parametrize(
    "area",
    [
        None,
        7,
        {},
        {"shape": "rectangle"},
        {"shape": "rectangle", "position": {"x": "left", "y": 0}},
        at_the_corner("circle", circle={"radius": None}),
        at_the_corner("circle", circle={"radius": float("nan")}),
        at_the_corner("polygon", polygon={"points": [7]}),
        at_the_corner("text", text={"text": ["no"]}),
        rectangle(0, 0, float("inf"), 30, "Stage"),
    ],
)
def test_decoration_that_cannot_be_read_is_left_out(area: Any) -> None:
    seats = [place(1, x=0), place(2, x=30)]
    assert laid_out(seats, zone("Stalls", seats, area))["shapes"] == []


def test_a_hall_of_standing_places_only_has_a_map_of_a_size() -> None:
    floor = [place(nth, x=7, y=7, zone="Floor", row="")._replace(number="") for nth in (1, 2)]
    layout = laid_out(floor, zone("Floor", floor))
    assert layout["zones"][0]["box"][2:] == [72, 72]
    assert layout["size"] == [132, 132]


def test_a_show_without_seats_has_an_empty_layout() -> None:
    assert laid_out([], zone("Stalls", []))["zones"] == []
