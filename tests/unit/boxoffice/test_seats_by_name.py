"""Seats as they are said on the telephone."""

from __future__ import annotations

import pytest

from boxoffice.support.seats_by_name import HouseSeat, UnreadableSeats, free_rows, named_seats

HOUSE = [
    HouseSeat(number + 100 * place, zone, row, str(number), 1, number != 3)
    for place, (zone, row) in enumerate(
        [("Stalls", "A"), ("Stalls", "B"), ("Balcony", "B"), ("Balcony left", "7"), ("Block 3", "7"), ("Block 3", "C")]
    )
    for number in range(1, 9)
]


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ("A 5", [5]),
        ("a5", [5]),
        ("A 5-7", [5, 6, 7]),
        ("A 5–7, 2", [5, 6, 7, 2]),
        ("A5, A6", [5, 6]),
        ("A 5 6 7", [5, 6, 7]),
        ("row A seat 5", [5]),
        ("Reihe A, Platz 5", [5]),
        ("Stalls, row A, seat 5; Stalls, row A, seat 6", [5, 6]),
        ("Stalls B 1\nBalcony B 1", [101, 201]),
        ("balcony b 1, 2", [201, 202]),
        ("Balcony left 7 4", [304]),
        ("Block 3, row 7, seat 4; Block 3, row 7, seat 5", [404, 405]),
        ("Block 3 7 4", [404]),
        ("block 3 C4", [504]),
        ("C 4", [504]),
        ("row C, seat 4", [504]),
        ("A 5, A 5", [5]),
        ("", []),
        (" ; , ", []),
    ],
)
def test_seats_are_found_however_they_are_said(said: str, ids: list[int]) -> None:
    assert named_seats(text=said, house=HOUSE) == ids


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("B 1", "several parts of the house: Balcony, Stalls"),
        ("7 4", "several parts of the house: Balcony left, Block 3"),
        ("A 9", "no seat “A 9”"),
        ("Z 1", "no seat “Z 1”"),
        ("5", "Which row is seat 5 in"),
        ("A 9-5", "no range"),
        ("A 1-900000", "no range"),
        ("A 1-99999999999999999999", "no range"),
    ],
)
def test_what_names_no_seat_or_several_is_refused_with_the_part_that_it_is(said: str, why: str) -> None:
    with pytest.raises(UnreadableSeats, match=why):
        named_seats(text=said, house=HOUSE)


def test_what_is_free_is_told_row_by_row() -> None:
    told = free_rows(HOUSE, tier_ids=[1])
    assert [(row.place, row.numbers, row.count) for row in told[:2]] == [
        ("Stalls, row A", "1–2, 4–8", 7),
        ("Stalls, row B", "1–2, 4–8", 7),
    ]
    assert free_rows(HOUSE, tier_ids=[2]) == []
