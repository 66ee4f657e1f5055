"""The demo: three houses in three time zones, and a dozen shows in each state that a fan may meet."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from inventory.models import Seat, SeatingPlan, Show, Venue
from inventory.money import Money
from inventory.search_shows import Wanted, search_shows
from inventory.selectors import Offer
from jobs.clock import database_now
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db


def seed() -> str:
    said = StringIO()
    call_command("seed_demo", stdout=said)
    return said.getvalue()


def listed() -> list[Offer]:
    return search_shows(wanted=Wanted()).offers


@pytest.fixture
def offers(db: None) -> list[Offer]:
    """What the demo offers to fans, just seeded."""
    seed()
    return listed()


def test_three_houses_in_three_zones_show_a_dozen_shows_and_one_is_free_of_charge(offers: list[Offer]) -> None:
    assert Venue.objects.values("time_zone").distinct().count() == Venue.objects.count() == 3
    assert sorted(SeatingPlan.objects.values_list("seat_count", flat=True)) == [60, 150, 400]
    assert len({offer.show.title for offer in offers}) == len(offers) == 12
    for offer in offers:
        assert offer.show.description
        assert offer.show.subtitle
        assert offer.price_from is not None
        assert 17 <= offer.show.starts_at_local.hour <= 21
        assert offer.show.doors_at < offer.show.starts_at
    assert {offer.show.currency for offer in offers} == {"EUR", "USD", "JPY"}
    assert [offer.show.title for offer in offers if not offer.price_to] == ["Small Hours"]
    assert {str(offer.price_to) for offer in offers if offer.show.currency == "EUR"} == {str(Money(4200, "EUR"))}


def test_one_is_sold_out_one_has_few_left_and_one_is_not_yet_on_sale(offers: list[Offer]) -> None:
    assert [offer.show.title for offer in offers if offer.is_sold_out] == ["Low Tide Quartet"]
    few = [offer.show.title for offer in offers if offer.sells and 0 < offer.seats_free <= 5]
    assert few == ["The Glass Lighthouse"]
    later = [offer for offer in offers if offer.opens_later]
    assert [offer.show.title for offer in later] == ["Winter Letters"]
    assert later[0].show.on_sale_at > database_now()
    assert all(offer.sells for offer in offers if offer not in later)
    # What is sold was sold through a hold, as fans do.
    sold = Seat.objects.filter(status="sold")
    assert sold.count() > 200
    assert not sold.exclude(hold__status="confirmed").exists()


def test_a_second_run_changes_nothing(offers: list[Offer]) -> None:
    before = list(Show.objects.order_by("pk").values()), list(Seat.objects.order_by("pk").values())

    assert seed() == "Demo shows created: 0\n"

    assert before == (list(Show.objects.order_by("pk").values()), list(Seat.objects.order_by("pk").values()))


def test_on_a_later_day_the_shows_that_are_over_come_again(offers: list[Offer], clock: Clock) -> None:
    clock.advance(timedelta(days=10))
    left = len(listed())

    assert 0 < left < 12
    assert seed() == f"Demo shows created: {12 - left}\n"

    assert len(listed()) == 12
