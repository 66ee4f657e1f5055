"""Holding the best seats of a tier."""

from __future__ import annotations

import pytest

from inventory.errors import (
    InventoryError,
    NoSeatsChosen,
    NotEnoughSeats,
    NotOnSale,
    TooManySeats,
    UnknownShow,
    UnknownTier,
)
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from tests.fixtures_inventory import let_lapse, seat_ids

pytestmark = pytest.mark.django_db


def tier_of(show: Show, name: str) -> int:
    return PriceTier.objects.get(show=show, name=name).pk


def guids(hold: Hold) -> list[str]:
    return list(hold.seats.order_by("position").values_list("guid", flat=True))


def refused(error: type[InventoryError], *, show_id: int, tier_id: int, count: int) -> InventoryError:
    before = list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values())
    with pytest.raises(error) as caught:
        hold_best_seats(show_id=show_id, tier_id=tier_id, count=count)
    assert before == (list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values()))
    return caught.value


def test_the_best_seats_of_the_tier_are_together_and_on_one_side_of_the_aisle(show_on_sale: Show) -> None:
    house = tier_of(show_on_sale, "House")

    first = hold_best_seats(show_id=show_on_sale.pk, tier_id=house, count=3)
    second = hold_best_seats(show_id=show_on_sale.pk, tier_id=house, count=3)

    assert guids(first) == ["B-2", "B-3", "B-4"]
    assert guids(second) == ["B-5", "B-6", "B-7"]


def test_a_party_larger_than_any_block_sits_in_two_rows_behind_each_other(show_on_sale: Show) -> None:
    hold = hold_best_seats(show_id=show_on_sale.pk, tier_id=tier_of(show_on_sale, "House"), count=6)

    assert guids(hold) == ["B-2", "B-3", "B-4", "C-2", "C-3", "C-4"]


def test_the_seats_of_an_expired_hold_are_offered_at_once(show_on_sale: Show, lapsed_hold: Hold) -> None:
    hold = hold_best_seats(show_id=show_on_sale.pk, tier_id=tier_of(show_on_sale, "Front"), count=8)

    assert len(guids(hold)) == 8
    lapsed_hold.refresh_from_db()
    assert lapsed_hold.status == "expired"


def test_a_lapsed_hold_that_is_not_needed_is_left_alone(show_on_sale: Show) -> None:
    far = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "D-8"))
    let_lapse(far)

    hold_best_seats(show_id=show_on_sale.pk, tier_id=tier_of(show_on_sale, "House"), count=2)

    far.refresh_from_db()
    assert far.status == "active"


def test_too_few_seats_are_refused_with_the_number_that_is_left(show_on_sale: Show, held_seats: Hold) -> None:
    refusal = refused(NotEnoughSeats, show_id=show_on_sale.pk, tier_id=tier_of(show_on_sale, "Front"), count=7)

    assert str(refusal) == "Only 6 seats are left at this price. Choose fewer, or another price."
    assert refusal.status_code == 409


def test_a_sold_out_tier_says_so(show_on_sale: Show) -> None:
    front = tier_of(show_on_sale, "Front")
    hold_best_seats(show_id=show_on_sale.pk, tier_id=front, count=8)

    refusal = refused(NotEnoughSeats, show_id=show_on_sale.pk, tier_id=front, count=1)

    assert str(refusal) == "No seats are left at this price. Choose another price."


def test_another_shows_tier_is_refused(show_on_sale: Show, other_show: Show) -> None:
    refused(UnknownTier, show_id=show_on_sale.pk, tier_id=tier_of(other_show, "Front"), count=2)


@pytest.mark.parametrize(("count", "error"), [(0, NoSeatsChosen), (-3, NoSeatsChosen), (11, TooManySeats)])
def test_a_party_of_no_sensible_size_is_refused(show_on_sale: Show, count: int, error: type[InventoryError]) -> None:
    refused(error, show_id=show_on_sale.pk, tier_id=tier_of(show_on_sale, "House"), count=count)


def test_a_show_that_is_not_on_sale_is_refused(show_opening_tomorrow: Show, draft_show: Show) -> None:
    for show in (show_opening_tomorrow, draft_show):
        refused(NotOnSale, show_id=show.pk, tier_id=tier_of(show, "House"), count=2)
    refused(UnknownShow, show_id=999_999, tier_id=1, count=2)
