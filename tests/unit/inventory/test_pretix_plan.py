"""Plan files: sound ones are read, broken ones are refused with the path to what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory import pretix_plan
from inventory.errors import PlanRefused
from inventory.pretix_plan import Category, read_plan
from tests.fixtures_inventory import plan_document

Document = dict[str, Any]


def seat(document: Document, row: int, number: int) -> dict[str, Any]:
    return document["zones"][0]["rows"][row]["seats"][number]  # type: ignore[no-any-return]


def read(document: object) -> pretix_plan.Plan:
    return read_plan(json.dumps(document).encode())


def test_a_sound_plan_is_read() -> None:
    plan = read(plan_document())

    assert (plan.name, plan.width, plan.height, plan.seat_count) == ("Small hall", 310, 300, 32)
    assert plan.categories == (Category("Front", "#d55e00"), Category("House", "#0072b2"))


def test_a_byte_order_mark_in_front_does_no_harm() -> None:
    assert read_plan(b"\xef\xbb\xbf" + json.dumps(plan_document()).encode()).seat_count == 32


def test_categories_without_seats_are_left_out() -> None:
    document = plan_document()
    document["categories"].append({"name": "Boxes", "color": "#FFF"})

    assert [category.name for category in read(document).categories] == ["Front", "House"]


def test_short_colours_are_written_out() -> None:
    document = plan_document()
    document["categories"][0]["color"] = "#Fa0"

    assert read(document).categories[0].color == "#ffaa00"


def test_a_category_tells_that_its_places_are_for_wheelchairs() -> None:
    document = plan_document()
    document["categories"][0]["wheelchair"] = True

    assert [category.wheelchair for category in read(document).categories] == [True, False]


def test_what_pretix_adds_is_no_obstacle() -> None:
    document = plan_document()
    document["zones"][0]["areas"] = [
        {"shape": "text", "position": {"x": 0, "y": 0}, "text": {"text": "Stage", "color": "#000"}},
        {"shape": "polygon", "position": {"x": 0, "y": 0}, "polygon": {"points": [{"x": 0, "y": 0}]}},
    ]
    row = document["zones"][0]["rows"][0]
    row |= {"row_label": None, "seat_label": "Seat %s", "row_number_position": "both"}
    row["seats"][0] |= {"radius": 10, "start_direction": "left"}

    assert read(document).seat_count == 32


def test_rows_without_seats_and_seats_without_a_number_are_sound() -> None:
    document = plan_document()
    document["zones"][0]["rows"].append({"row_number": "", "position": {"x": 0, "y": 0}, "seats": []})
    seat(document, 0, 0)["seat_number"] = ""

    assert read(document).seat_count == 32


def put(path: str, value: object) -> Callable[[Document], None]:
    """A change that puts a value where the path points; ... takes it away."""

    def change(document: Document) -> None:
        *parents, last = path.replace("[", ".[").split(".")
        target: Any = document
        for step in parents:
            target = target[int(step[1:-1])] if step.startswith("[") else target[step]
        if value is ...:
            del target[last]
        elif last.startswith("["):
            target[int(last[1:-1])] = value
        else:
            target[last] = value

    return change


SEAT = "zones[0].rows[3].seats[7]"


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("name", ..., "missing"),
        ("name", None, "text"),
        ("name", "  ", "empty"),
        ("name", "x" * 201, "longer than 200"),
        ("size", ..., "missing"),
        ("size", [310, 300], "object"),
        ("size.width", ..., "missing"),
        ("size.width", "310", "number"),
        ("size.width", True, "number"),
        ("size.height", 0, "larger than nothing"),
        ("size.height", -5, "larger than nothing"),
        ("size.height", 10_000_000_000, "beyond"),
        ("categories", ..., "missing"),
        ("categories", {"name": "Front"}, "list"),
        ("categories[1]", "House", "object"),
        ("categories[1].name", ..., "missing"),
        ("categories[1].name", "Front", "there twice"),
        ("categories[0].color", ..., "missing"),
        ("categories[0].color", "red; background: url(//x)", "not a colour"),
        ("categories[0].color", "#12345", "not a colour"),
        ("categories[1].wheelchair", "true", "true or false"),
        ("categories[1].wheelchair", 1, "true or false"),
        ("categories[1].wheelchair", None, "true or false"),
        ("zones", ..., "missing"),
        ("zones", None, "list"),
        ("zones[0]", [], "object"),
        ("zones[0].name", 7, "text"),
        ("zones[0].position", ..., "missing"),
        ("zones[0].position.x", "20", "number"),
        ("zones[0].rows", ..., "missing"),
        ("zones[0].rows[3]", None, "object"),
        ("zones[0].rows[3].row_number", 4, "text"),
        ("zones[0].rows[3].row_number", "x" * 51, "longer than 50"),
        ("zones[0].rows[3].position", ..., "missing"),
        ("zones[0].rows[3].position.y", None, "number"),
        ("zones[0].rows[3].seats", ..., "missing"),
        ("zones[0].rows[3].seats", {}, "list"),
        (SEAT, 12, "object"),
        (f"{SEAT}.seat_guid", ..., "missing"),
        (f"{SEAT}.seat_guid", "", "empty"),
        (f"{SEAT}.seat_guid", 7, "text"),
        (f"{SEAT}.seat_guid", "A-1", "already the identifier of zones[0].rows[0].seats[0]"),
        (f"{SEAT}.seat_number", ..., "missing"),
        (f"{SEAT}.seat_number", 8, "text"),
        (f"{SEAT}.position", ..., "missing"),
        (f"{SEAT}.position", "middle", "object"),
        (f"{SEAT}.position.x", ..., "missing"),
        (f"{SEAT}.position.x", "30", "number"),
        (f"{SEAT}.position.x", False, "number"),
        (f"{SEAT}.position.x", [30], "number"),
        (f"{SEAT}.position.y", 1e9, "beyond"),
        (f"{SEAT}.category", ..., "missing"),
        (f"{SEAT}.category", None, "text"),
        (f"{SEAT}.category", "Royal box", "“Royal box” is not one of the plan's categories"),
        (f"{SEAT}.radius", "nul \x00", "cannot be stored"),
        (f"{SEAT}.note", {"deep": ["\ud800"]}, "cannot be stored"),
    ],
)
def test_a_broken_plan_is_refused_with_the_path_to_what_is_wrong(path: str, value: object, problem: str) -> None:
    document = plan_document()
    put(path, value)(document)

    with pytest.raises(PlanRefused) as caught:
        read(document)

    assert caught.value.path.startswith(path)
    assert problem in caught.value.problem
    assert str(caught.value) == f"{caught.value.path}: {caught.value.problem}"
    assert caught.value.status_code == 422


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "line 1, column 1: This is not JSON"),
        (b'{"name": "Hall",\n "size": }', "line 2, column 10: This is not JSON"),
        (b'{"name": "Ha', "This is not JSON"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"PK\x03\x04 a zip file", "This is not JSON"),
        (b"[]", "must be an object"),
        (b"null", "must be an object"),
        (b'"plan"', "must be an object"),
        (b'{"size": {"width": NaN}}', "“NaN” is not a number"),
        (b'{"size": {"width": -Infinity}}', "“-Infinity” is not a number"),
        (b'{"size": {"width": 1e999}}', "size.width: This number is too large"),
        (b'{"size": {"width": ' + b"9" * 5000 + b"}}", "number that is far too long"),
        (b'{"zones": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_plan_at_all_is_refused(raw: bytes, problem: str) -> None:
    with pytest.raises(PlanRefused) as caught:
        read_plan(raw)

    assert problem in str(caught.value)


def test_a_plan_without_a_seat_is_refused() -> None:
    document = plan_document()
    document["zones"] = []

    with pytest.raises(PlanRefused, match="zones: There is no seat"):
        read(document)


def test_more_seats_than_any_hall_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretix_plan, "MAX_SEATS", 31)

    with pytest.raises(PlanRefused, match=r"zones\[0\]\.rows\[3\]\.seats\[7\]: A plan has at most 31 seats"):
        read(plan_document())


def test_a_file_of_absurd_size_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretix_plan, "MAX_BYTES", 2 * 1024 * 1024)

    with pytest.raises(PlanRefused, match="larger than 2 MB"):
        read_plan(b" " * (2 * 1024 * 1024 + 1))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    "name",
    "size",
    "size.width",
    "categories",
    "categories[0]",
    "categories[0].color",
    "zones",
    "zones[0]",
    "zones[0].position",
    "zones[0].rows",
    "zones[0].rows[0]",
    "zones[0].rows[0].seats",
    SEAT,
    f"{SEAT}.position",
    f"{SEAT}.seat_guid",
    f"{SEAT}.category",
]


@given(place=st.sampled_from(PLACES), value=ANYTHING)
def test_whatever_stands_anywhere_it_is_read_or_refused(place: str, value: object) -> None:
    document = plan_document()
    put(place, value)(document)

    with suppress(PlanRefused):
        assert read(document).seat_count > 0
