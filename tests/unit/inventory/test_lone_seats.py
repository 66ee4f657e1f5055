"""Which single seats a choice leaves behind. The table beside this file is that of the browser's rule, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.lone_seats import Spot, lone_seats

TABLE = json.loads(Path(__file__).with_name("lone_seats.json").read_text())
STATES = {".": "free", "#": "chosen", "x": "taken", "w": "taken"}


def alone(row: str) -> str:
    """The picture of what the row's choice leaves alone."""
    columns = [column for column, mark in enumerate(row) if mark != " "]
    spots = [Spot(float(column * TABLE["pitch"]), 0.0, STATES[row[column]]) for column in columns]
    lone = {columns[index] for index in lone_seats(spots)}
    return "".join("!" if column in lone else " " for column in range(len(row)))


@pytest.mark.parametrize("example", TABLE["examples"], ids=lambda example: example["why"])
def test_each_example_of_the_table_is_told_as_it_stands_there(example: dict[str, str]) -> None:
    assert alone(example["row"]) == example["alone"]


def test_a_row_may_run_in_any_direction_and_be_drawn_in_any_unit() -> None:
    for unit in (0.1, 24, 900):
        assert lone_seats([Spot(5.0, -nth * unit, state) for nth, state in enumerate(_states(".##.."))]) == [0]


def test_an_empty_row_leaves_nobody_alone() -> None:
    assert lone_seats([]) == []


@given(row=st.text(alphabet=".#x", min_size=1, max_size=14))
def test_only_free_seats_are_named_and_never_those_with_a_free_neighbour(row: str) -> None:
    for column, mark in enumerate(alone(row)):
        if mark == "!":
            assert row[column] == "."
            assert "." not in row[column - 1 : column] + row[column + 1 : column + 2]


@given(size=st.integers(1, 14), count=st.integers(1, 10))
def test_whoever_sits_at_the_end_of_a_gap_never_hears_a_word(size: int, count: int) -> None:
    taken = min(size, count)
    assert "!" not in alone("x" + "#" * taken + "." * (size - taken) + "x")


@given(row=st.text(alphabet=".#x", min_size=1, max_size=14))
def test_taking_the_lone_seats_along_leaves_no_other_ones(row: str) -> None:
    along = "".join("#" if mark == "!" else seat for seat, mark in zip(row, alone(row), strict=True))
    assert "!" not in alone(along)


def _states(row: str) -> list[str]:
    return [STATES[mark] for mark in row]
