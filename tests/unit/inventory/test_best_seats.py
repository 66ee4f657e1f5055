"""Which seats a fan would choose. Places are drawn as pictures: one line a row, the stage above it.

`.` is a free seat, `x` a taken one, a space no seat at all (an aisle). Seats are numbered from the left.
"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inventory.best_seats import Place, groups_together, split_party

PITCH = 30


def hall(*rows: str) -> tuple[dict[int, str], list[Place], float]:
    """Names of all free seats by id ("A1"), the free places, and the middle of the stage."""
    names, places, position = {}, [], 0
    for nth, row in enumerate(rows):
        number = 0
        for column, mark in enumerate(row):
            if mark == " ":
                continue
            position += 1
            number += 1
            if mark == ".":
                letter = chr(ord("A") + nth)
                names[position] = f"{letter}{number}"
                x, y = float(PITCH * column), float(100 + PITCH * nth)
                places.append(Place(position, "Stalls", letter, position, x, y))
    return names, places, PITCH * (max(map(len, rows)) - 1) / 2


def best_seats(places: list[Place], *, count: int, middle: float) -> list[int]:
    """Together where a row has room, else split: the ids in the order of the plan."""
    together = groups_together(places, count=count, middle=middle)
    party = together[0] if together else split_party(places, count=count, middle=middle)
    return sorted(place.id for place in party)


def chosen(count: int, *rows: str) -> list[str]:
    names, places, middle = hall(*rows)
    return [names[place] for place in best_seats(places, count=count, middle=middle)]


def test_the_middle_of_the_first_row_is_best() -> None:
    assert chosen(3, ".......", ".......") == ["A3", "A4", "A5"]


def test_the_middle_of_a_row_behind_beats_the_far_end_of_the_first() -> None:
    assert chosen(2, "..xxxxxxxxxxxxxxxx..", "xxxxxxxxx..xxxxxxxxx") == ["B10", "B11"]


def test_the_nearer_row_wins_in_the_middle() -> None:
    assert chosen(2, "xxxxxxx", "xx..xxx", "xx..xxx") == ["B3", "B4"]


def test_the_second_choice_is_the_next_best() -> None:
    names, places, middle = hall(".....", "xxxxx")

    groups = groups_together(places, count=3, middle=middle)

    assert [[names[place.id] for place in group] for group in groups] == [
        ["A1", "A2", "A3"],
        ["A3", "A4", "A5"],
        ["A2", "A3", "A4"],
    ]


def test_a_group_that_leaves_a_single_seat_alone_gives_way_to_its_neighbour_and_not_to_another_row() -> None:
    assert chosen(2, "x....x", "xx..xx") == ["A2", "A3"]
    assert chosen(1, "x...x", "x...x") == ["A2"]


def test_where_one_seat_is_left_over_in_any_case_the_best_group_stays_the_best() -> None:
    assert chosen(2, "xx...x", "......") == ["A3", "A4"]


def test_a_taken_seat_between_two_free_ones_parts_them() -> None:
    assert chosen(2, "x.x.x", "x..xx") == ["B2", "B3"]


def test_an_aisle_parts_a_row() -> None:
    assert chosen(3, "x.. ..x", "xx...xx") == ["B3", "B4", "B5"]


def test_rows_do_not_run_into_each_other() -> None:
    assert chosen(3, "xxxx..", "..xxxx", "xx...x") == ["C3", "C4", "C5"]


def test_a_party_that_fits_no_row_is_split_into_as_few_groups_as_possible() -> None:
    assert chosen(5, "xx...xx", "xx..xxx", "x.x.x.x") == ["A3", "A4", "A5", "B3", "B4"]


def test_nobody_is_left_alone_where_that_can_be_helped() -> None:
    assert chosen(4, "xx...x", "x..xx.", "xx.x.x") == ["A3", "A4", "B2", "B3"]


def test_a_second_group_sits_near_the_first_one() -> None:
    picture = ("xxxxxxxx..", "xxxxxxxx..", "..xxxxxxxx")

    assert chosen(4, *picture) == ["A9", "A10", "B9", "B10"]


def test_single_seats_are_the_last_resort() -> None:
    assert chosen(3, "x.x.x.x") == ["A2", "A4", "A6"]


def test_too_few_free_seats_give_nothing() -> None:
    assert chosen(3, "xx..xx") == []
    assert chosen(1, "xxxx") == []


def test_places_without_a_position_of_their_own_are_all_as_good() -> None:
    standing = [Place(number, "Floor", "", number, 0.0, 0.0) for number in range(1, 21)]

    assert len(best_seats(standing, count=10, middle=0.0)) == 10


@given(
    rows=st.lists(st.text(alphabet=".x ", min_size=1, max_size=12), min_size=1, max_size=6),
    count=st.integers(1, 10),
)
def test_a_party_is_seated_exactly_when_there_are_enough_seats(rows: list[str], count: int) -> None:
    names, places, middle = hall(*rows)

    ids = best_seats(places, count=count, middle=middle)

    assert len(ids) == (count if len(names) >= count else 0)
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(names)


@given(
    rows=st.lists(st.text(alphabet=".x ", min_size=1, max_size=12), min_size=1, max_size=6),
    count=st.integers(2, 6),
)
def test_a_party_sits_together_whenever_a_row_has_room_for_it(rows: list[str], count: int) -> None:
    names, places, middle = hall(*rows)
    has_room = any("." * count in row for row in rows)
    # With hardly a pair side by side there is no telling an aisle from the usual distance.
    pairs = sum(row[i : i + 2] == ".." for row in rows for i in range(len(row)))
    across = sum(row[i : i + 3] == ". ." for row in rows for i in range(len(row)))

    ids = best_seats(places, count=count, middle=middle)

    if has_room and pairs > across:
        assert all(right == left + 1 for left, right in pairwise(ids)), [names[seat] for seat in ids]
