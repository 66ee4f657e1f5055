"""Equal places are listed in one line, with their number and their price together."""

from __future__ import annotations

from boxoffice.gather_places import gather_places, place_of
from inventory.models import Seat
from inventory.money import Money

PRICE = Money(4500, "EUR")
STANDING = Seat(zone="Front standing")
SEAT = Seat(zone="Stalls", row="C", number="12")


def test_equal_places_are_one_line_with_their_number_and_their_price_together() -> None:
    line, seat = gather_places(
        [place_of(each, tier_name="House", price=PRICE) for each in (STANDING, STANDING, SEAT, STANDING)]
    )
    assert (line.words, line.count, line.price) == ("3 × Front standing", 3, Money(13500, "EUR"))
    assert (seat.words, seat.count, seat.price) == ("Stalls, row C, seat 12", 1, PRICE)


def test_places_with_different_prices_or_given_back_are_listed_apart() -> None:
    lines = gather_places(
        [
            place_of(STANDING, tier_name="House", price=PRICE),
            place_of(STANDING, tier_name="House", price=Money(0, "EUR")),
            place_of(STANDING, tier_name="House", price=PRICE, given_back=True),
        ]
    )
    assert [line.words for line in lines] == ["Front standing"] * 3


def test_a_place_without_words_is_called_by_its_tier_and_a_tier_that_is_said_is_not_said_twice() -> None:
    assert place_of(Seat(), tier_name="Standing", price=PRICE).words == "Standing"
    assert place_of(Seat(), tier_name="Standing", price=PRICE).tier_name == ""
    assert place_of(STANDING, tier_name="Front standing", price=PRICE).tier_name == ""
