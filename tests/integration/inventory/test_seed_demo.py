"""The demo: four houses in three time zones, from 60 to 12,000 places, with shows in each state that a fan may meet."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from inventory.demo import seed as seed_module
from inventory.demo.programme import SHOWS, VENUES
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


def seed() -> str:
    said = StringIO()
    call_command("seed_demo", stdout=said)
    return said.getvalue()


def listed() -> list[Offer]:
    return search_shows(wanted=Wanted()).offers


def test_the_demo_has_shows_in_each_state_and_a_second_run_changes_nothing_until_they_are_over(clock: Clock) -> None:
    """One test, for to seed takes seconds."""
    seed()
    offers = listed()
    _four_houses_in_three_zones(offers)
    _one_sold_out_one_with_few_left_and_one_not_yet_on_sale(offers)
    _what_is_sold_was_bought_by_a_hold_and_what_is_held_will_be_free_again()
    _the_arena_is_alive_and_has_room_in_every_tier(offers)
    _a_second_run_changes_nothing_until_shows_are_over(clock)


def _four_houses_in_three_zones(offers: list[Offer]) -> None:
    assert Venue.objects.values("time_zone").distinct().count() == 3
    assert sorted(SeatingPlan.objects.values_list("seat_count", flat=True)) == [60, 60, 1209, 12_000]
    assert len({offer.show.title for offer in offers}) == len(offers) == len(SHOWS)
    for offer in offers:
        assert offer.show.description
        assert offer.show.subtitle
        assert offer.price_from is not None
        assert 17 <= offer.show.starts_at_local.hour <= 21
        assert offer.show.doors_at < offer.show.starts_at
    assert {offer.show.currency for offer in offers} == {"EUR", "USD", "JPY"}
    assert [offer.show.title for offer in offers if not offer.price_to] == ["Small Hours"]
    in_euro = {offer.price_to for offer in offers if offer.show.currency == "EUR"}
    assert in_euro == {Money(4200, "EUR"), Money(8900, "EUR")}


def _one_sold_out_one_with_few_left_and_one_not_yet_on_sale(offers: list[Offer]) -> None:
    assert [offer.show.title for offer in offers if offer.is_sold_out] == ["Low Tide Quartet"]
    few = [offer.show.title for offer in offers if offer.sells and 0 < offer.seats_free <= 5]
    assert few == ["The Glass Lighthouse"]
    later = [offer for offer in offers if offer.opens_later]
    assert [offer.show.title for offer in later] == ["Winter Letters"]
    assert later[0].show.on_sale_at > database_now()
    assert all(offer.sells for offer in offers if offer not in later)


def _what_is_sold_was_bought_by_a_hold_and_what_is_held_will_be_free_again() -> None:
    sold, held = (Seat.objects.filter(status=status) for status in ("sold", "held"))
    assert sold.count() > 5000
    assert not sold.exclude(hold__status="confirmed").exists()
    assert not held.exclude(hold__status="active", hold__expires_at__gt=DatabaseNow()).exists()
    holds = {f"hold:{pk}" for pk in Hold.objects.filter(status="active").values_list("pk", flat=True)}
    assert len(holds) > 50
    assert holds <= set(Job.objects.filter(task="inventory.expire_hold").values_list("subject", flat=True))


def _the_arena_is_alive_and_has_room_in_every_tier(offers: list[Offer]) -> None:
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


def _a_second_run_changes_nothing_until_shows_are_over(clock: Clock) -> None:
    shows, seats = Show.objects.order_by("pk"), Seat.objects.order_by("pk").values_list("pk", "status", "version")
    before = list(shows.values()), list(seats)

    assert seed() == "Demo shows created: 0\n"
    assert before == (list(shows.values()), list(seats))

    clock.advance(timedelta(days=10))
    left = len(listed())
    assert 0 < left < len(SHOWS)

    assert seed() == f"Demo shows created: {len(SHOWS) - left}\n"
    assert len(listed()) == len(SHOWS)


def test_a_plan_of_an_earlier_version_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    house = VENUES[0]
    monkeypatch.setattr(seed_module, "VENUES", (house,))
    monkeypatch.setattr(seed_module, "SHOWS", tuple(show for show in SHOWS if show.venue == house.slug))
    venue = Venue.objects.create(slug=house.slug, name=house.name, city=house.city, address="-", time_zone="Asia/Tokyo")
    document = plan_document() | {"name": house.plan()["name"]}
    earlier = import_seating_plan(venue=venue, raw=json.dumps(document).encode())

    seed()

    assert set(Show.objects.values_list("plan", flat=True)) == {earlier.pk}
