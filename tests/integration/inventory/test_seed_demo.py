"""The demo: four houses in three time zones, from 60 to 12,000 places, with shows in each state that a fan may meet."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from inventory.import_seating_plan import import_seating_plan
from inventory.models import Hold, Seat, SeatingPlan, Show, Venue
from inventory.money import Money
from inventory.search_shows import Wanted, search_shows
from inventory.selectors import Offer, availability, seats_of_show
from jobs.clock import DatabaseNow, database_now
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import plan_document

pytestmark = pytest.mark.django_db

SHOWS = 13


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


def test_four_houses_in_three_zones_have_something_for_everybody_and_one_show_is_free(offers: list[Offer]) -> None:
    assert Venue.objects.values("time_zone").distinct().count() == 3
    assert sorted(SeatingPlan.objects.values_list("seat_count", flat=True)) == [60, 60, 1192, 12_000]
    assert len({offer.show.title for offer in offers}) == len(offers) == SHOWS
    for offer in offers:
        assert offer.show.description
        assert offer.show.subtitle
        assert offer.price_from is not None
        assert 17 <= offer.show.starts_at_local.hour <= 21
        assert offer.show.doors_at < offer.show.starts_at
    assert {offer.show.currency for offer in offers} == {"EUR", "USD", "JPY"}
    assert [offer.show.title for offer in offers if not offer.price_to] == ["Small Hours"]
    assert {offer.price_to for offer in offers if offer.show.currency == "EUR"} == {
        Money(4200, "EUR"),
        Money(8900, "EUR"),
    }


def test_one_is_sold_out_one_has_few_left_and_one_is_not_yet_on_sale(offers: list[Offer]) -> None:
    assert [offer.show.title for offer in offers if offer.is_sold_out] == ["Low Tide Quartet"]
    few = [offer.show.title for offer in offers if offer.sells and 0 < offer.seats_free <= 5]
    assert few == ["The Glass Lighthouse"]
    later = [offer for offer in offers if offer.opens_later]
    assert [offer.show.title for offer in later] == ["Winter Letters"]
    assert later[0].show.on_sale_at > database_now()
    assert all(offer.sells for offer in offers if offer not in later)


def test_what_is_sold_was_bought_by_a_hold_and_what_is_held_will_be_free_again(offers: list[Offer]) -> None:
    sold, held = (Seat.objects.filter(status=status) for status in ("sold", "held"))
    assert sold.count() > 5000
    assert not sold.exclude(hold__status="confirmed").exists()
    assert not held.exclude(hold__status="active", hold__expires_at__gt=DatabaseNow()).exists()
    holds = {f"hold:{pk}" for pk in Hold.objects.filter(status="active").values_list("pk", flat=True)}
    assert len(holds) > 50
    assert holds <= set(Job.objects.filter(task="inventory.expire_hold").values_list("subject", flat=True))
    for hold in Hold.objects.all():
        assert len(hold.seat_ids) == len(hold.prices) <= 10


def test_the_arena_is_alive_and_has_room_in_every_tier(offers: list[Offer]) -> None:
    (arena,) = [offer for offer in offers if offer.seats_total == 12_000]
    stands = availability(show_id=arena.show.pk)

    assert arena.sells
    assert arena.seats_free == stands.free
    assert 4000 < stands.sold < 7000
    assert stands.held > 100
    free = Counter(item.seat.tier.name for item in seats_of_show(show_id=arena.show.pk) if item.state == "free")
    assert len(free) == arena.show.tiers.count() == 6
    assert min(free.values()) >= 10
    assert [tier.name for tier in arena.show.tiers.filter(wheelchair=True)] == ["Wheelchair place"]


def test_a_plan_of_an_earlier_version_stays_as_it_is() -> None:
    document = plan_document() | {"name": "The house"}
    venue = Venue.objects.create(
        name="Kammertheater", slug="kammertheater-am-kanal", city="Berlin", address="-", time_zone="Europe/Berlin"
    )
    earlier = import_seating_plan(venue=venue, raw=json.dumps(document).encode())

    seed()

    assert set(Show.objects.filter(venue=venue).values_list("plan", flat=True)) == {earlier.pk}


def test_a_second_run_changes_nothing(offers: list[Offer]) -> None:
    before = list(Show.objects.order_by("pk").values()), list(Seat.objects.order_by("pk").values())

    assert seed() == "Demo shows created: 0\n"

    assert before == (list(Show.objects.order_by("pk").values()), list(Seat.objects.order_by("pk").values()))


def test_on_a_later_day_the_shows_that_are_over_come_again(offers: list[Offer], clock: Clock) -> None:
    clock.advance(timedelta(days=10))
    left = len(listed())

    assert 0 < left < SHOWS
    assert seed() == f"Demo shows created: {SHOWS - left}\n"

    assert len(listed()) == SHOWS
