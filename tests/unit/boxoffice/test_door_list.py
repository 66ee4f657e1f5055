"""The parts of a door list and of a house: none is longer than a page, and what belongs together stays so."""

from __future__ import annotations

from boxoffice.shows.door_list import by_name, by_seat, parts_by_name, parts_by_seat
from boxoffice.shows.read_house import SOLD, Place, stretches_of


def place(number: int, *, name: str = "Ada Lovelace", row: str = "A", zone: str = "Stalls") -> Place:
    return Place(number, zone, row, str(number), "House", SOLD, name, number, f"ORDER{number // 2:03}", "ABCD1234")


def test_everybody_of_one_name_stands_in_one_part() -> None:
    people = ["Ada Young", "Bob Adams", "Cy Adams", "Dan Young", "Eva Brown"]
    parts = parts_by_name(by_name([place(2 * nth, name=name) for nth, name in enumerate(people)]), most=3)
    assert [(part.first, part.last, part.tickets) for part in parts] == [("Adams", "Brown", 3), ("Young", "Young", 2)]


def test_an_orders_tickets_of_one_name_are_one_line() -> None:
    lines = by_name([place(2), place(3), place(4)])
    assert [len(line.places) for line in lines] == [2, 1]


def test_a_part_by_seat_begins_with_a_row_unless_the_row_is_longer_than_a_part() -> None:
    places = [place(nth, row=row) for row in "ABC" for nth in range(4)]
    parts = parts_by_seat(by_seat(places), most=9)
    assert [(part.first, part.last, len(part.lines)) for part in parts] == [
        ("Stalls, row A", "Stalls, row B", 8),
        ("Stalls, row C", "Stalls, row C", 4),
    ]
    assert [part.tickets for part in parts_by_seat(by_seat(places), most=3)] == [3, 1] * 3


def test_a_house_without_tickets_has_no_part() -> None:
    assert parts_by_name(by_name([])) == []
    assert stretches_of([]) == []


def test_a_part_of_the_house_is_shown_in_stretches_of_whole_rows() -> None:
    places = [place(nth, row=row) for row in "ABC" for nth in range(4)]
    assert [len(stretch) for stretch in stretches_of(places, most=8)] == [8, 4]
    assert [len(stretch) for stretch in stretches_of(places, most=3)] == [3, 1] * 3
    assert [place for stretch in stretches_of(places, most=5) for place in stretch] == places
