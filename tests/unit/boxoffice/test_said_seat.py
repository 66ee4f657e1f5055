"""Seats in what was typed into the search."""

from __future__ import annotations

import pytest

from boxoffice.search.by_seat import said_seat


@pytest.mark.parametrize(
    ("said", "place", "words"),
    [
        ("C12", "c 12", ()),
        ("c 12", "c 12", ()),
        ("Stalls C 12", "c 12", ("stalls",)),
        ("Stalls, row C, seat 12", "c 12", ("stalls",)),
        ("Parkett, Reihe 7, Platz 12a", "7 12a", ("parkett",)),
        ("row 7 seat 12", "7 12", ()),
        ("C12 Hamlet", "c 12", ("hamlet",)),
        ("Hamlet Stalls C12", "c 12", ("hamlet", "stalls")),
        ("AA 101", "aa 101", ()),
    ],
)
def test_a_seat_is_heard_however_it_is_said(said: str, place: str, words: tuple[str, ...]) -> None:
    assert said_seat(said) == (place, words)


@pytest.mark.parametrize("said", ["", "12", "2026", "Ada Lovelace", "ada@example.org", "pi_3Nabc", "K7QM-2XWD", "C"])
def test_what_names_no_row_and_number_is_no_seat(said: str) -> None:
    assert said_seat(said) is None
