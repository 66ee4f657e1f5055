"""What stands in the address of the list: read, kept as typed, told at the field where it is wrong."""

from __future__ import annotations

from datetime import date

import pytest
from django.http import QueryDict

from boxoffice.storefront.wishes import Wishes, choices_of_place, wishes_in
from inventory.money import Money
from inventory.search_shows import Place, Wanted

PLACES = [
    Place("kammer", "Kammertheater", "Berlin", "EUR"),
    Place("speicher", "Speicher", "Berlin", "EUR"),
    Place("aozakura", "Aozakura Hall", "Tokyo", "JPY"),
]


def read(address: str) -> Wishes:
    return wishes_in(QueryDict(address), places=PLACES)


def test_nothing_asked_for_is_no_wish() -> None:
    for address in ("", "q=&from=&to=&where=&upto=&currency=EUR", "utm_source=mail", "page=x"):
        wishes = read(address)
        assert wishes.wanted == Wanted()
        assert not wishes.narrowed
        assert wishes.page == 1


def test_all_wishes_are_read_together() -> None:
    wishes = read("q= glass &from=2026-12-01&to=2026-12-01&where=city:Berlin&upto=12,5&currency=EUR&seats=1&page=3")
    day = date(2026, 12, 1)
    assert wishes.wanted == Wanted("glass", day, day, "", "Berlin", True, Money(1250, "EUR"))
    assert (wishes.page, wishes.filters, dict(wishes.problems)) == (3, 5, {})
    assert read("where=aozakura").wanted.venue == "aozakura"


@pytest.mark.parametrize(
    ("address", "price"),
    [
        ("upto=0", Money(0, "EUR")),
        ("upto=20.00", Money(2000, "EUR")),
        ("upto=20&currency=JPY", Money(20, "JPY")),
        ("upto=999999999", Money(99999999900, "EUR")),
    ],
)
def test_prices_are_in_the_chosen_currency_and_its_decimals(address: str, price: Money) -> None:
    assert read(address).wanted.price_up_to == price


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("q=" + "x" * 101, "q"),
        ("q=" + "x" * 100_000, "q"),
        ("from=12026-01-01", "from"),
        ("from=2026-02-30", "from"),
        ("from=0000-01-01", "from"),
        ("from=%EF%BC%92026-01-01", "from"),
        ("to=tomorrow", "to"),
        ("from=2026-12-02&to=2026-12-01", "to"),
        ("where=nowhere", "where"),
        ("where=city:", "where"),
        ("upto=-1", "upto"),
        ("upto=1e9", "upto"),
        ("upto=1.234", "upto"),
        ("upto=5.00&currency=JPY", "upto"),
        ("upto=" + "9" * 40, "upto"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field_left_out_and_kept_as_typed(address: str, field: str) -> None:
    wishes = read(address)
    assert wishes.problems.keys() == {field}
    assert wishes.problems[field].endswith(".")
    assert wishes.narrowed
    assert wishes.filter_is_wrong == (field != "q")
    assert wishes.typed[field]
    assert len(wishes.typed[field]) <= 200
    assert wishes.wanted == (Wanted(first_day=date(2026, 12, 2)) if "2026-12-02" in address else Wanted())


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", "9" * 40, "²"])
def test_a_page_that_is_none_is_the_first(page: str) -> None:
    assert read(f"page={page}").page == 1


def test_addresses_keep_the_wishes_and_can_be_shared() -> None:
    wishes = read("q=a+%26+b&seats=1&where=&currency=JPY&page=2&utm_source=x")
    assert wishes.address(page=3) == "?q=a+%26+b&seats=1&page=3"
    assert read(wishes.address()[1:]).wanted == wishes.wanted
    assert wishes.address(without=("q", "seats")) == "?"


def test_each_wish_that_holds_can_be_given_up() -> None:
    ways = read("q=glass&from=2026-12-01&where=kammer&seats=1&upto=abc").ways_to_widen
    assert [words for _address, words in ways] == [
        "Without the words “glass”",
        "On any day",
        "In every house",
        "Also those without free seats",
    ]
    assert "q=" not in ways[0][0]
    assert "seats=1" in ways[0][0]


def test_a_city_with_several_houses_can_be_chosen_itself() -> None:
    assert choices_of_place(PLACES) == [
        ("Berlin", [("city:Berlin", "All of Berlin"), ("kammer", "Kammertheater"), ("speicher", "Speicher")]),
        ("Tokyo", [("aozakura", "Aozakura Hall")]),
    ]
