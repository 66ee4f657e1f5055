"""Making shows from plans, and taking them through their states."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.errors import ShowRefused, TransitionRefused, UnknownShow
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Seat, SeatingPlan, Show, Venue
from inventory.transitions import SHOW_MAY_COME_FROM
from tests.fixtures_inventory import plan_document

pytestmark = pytest.mark.django_db

START = datetime(2099, 12, 12, 18, 30, tzinfo=UTC)


def make(plan: SeatingPlan, **given: Any) -> Show:
    values = {
        "plan": plan,
        "title": "Nightbirds",
        "starts_at": START,
        "on_sale_at": START - timedelta(days=60),
        "currency": "EUR",
        "prices": {"Front": 2500, "House": 1200},
        **given,
    }
    return create_show(**values)


def test_a_show_has_a_tier_for_each_category_and_a_seat_for_each_place(plan: SeatingPlan) -> None:
    show = make(plan)

    assert (show.venue, show.status, show.version) == (plan.venue, "draft", 1)
    assert list(show.tiers.values_list("name", "category", "price", "color", "position")) == [
        ("Front", "Front", 2500, "#d55e00", 1),
        ("House", "House", 1200, "#0072b2", 2),
    ]
    assert show.seats.count() == 32
    seat = Seat.objects.select_related("tier").get(show=show, guid="B-5")
    assert (seat.zone, seat.row, seat.number, seat.tier.name) == ("Stalls", "B", "5", "House")
    # Zone 20/100, row 0/36, seat 180/0.
    assert (seat.x, seat.y) == (200, 136)
    assert (seat.status, seat.hold_id, seat.version) == ("available", None, 1)
    assert seat.label == "Stalls, row B, seat 5"


def test_places_for_wheelchairs_are_those_of_the_categories_that_the_plan_marks(venue: Venue) -> None:
    document = plan_document()
    document["categories"][1]["wheelchair"] = True
    plan = import_seating_plan(venue=venue, raw=json.dumps(document).encode())

    show = make(plan)

    assert dict(show.tiers.values_list("name", "wheelchair")) == {"Front": False, "House": True}


def test_seats_stand_in_the_order_of_the_plan_in_their_positions_and_their_ids(plan: SeatingPlan) -> None:
    show = make(plan)

    by_position = list(Seat.objects.filter(show=show).order_by("position").values_list("guid", flat=True))
    by_id = list(Seat.objects.filter(show=show).order_by("pk").values_list("guid", flat=True))
    assert by_position == by_id == [f"{row}-{number}" for row in "ABCD" for number in range(1, 9)]
    assert set(Seat.objects.filter(show=show).values_list("position", flat=True)) == set(range(1, 33))


def test_doors_open_half_an_hour_before_unless_said_otherwise(plan: SeatingPlan) -> None:
    assert make(plan).doors_at == START - timedelta(minutes=30)
    assert make(plan, doors_at=START - timedelta(hours=2)).doors_at == START - timedelta(hours=2)


def test_two_performances_on_one_day_have_addresses_of_their_own(plan: SeatingPlan) -> None:
    matinee = make(plan, starts_at=START - timedelta(hours=5))
    evening = make(plan)

    assert (matinee.slug, evening.slug) == ("nightbirds-2099-12-12", "nightbirds-2099-12-12-2")


def test_the_address_has_the_date_at_the_venue(plan: SeatingPlan) -> None:
    just_after_midnight_in_berlin = datetime(2099, 12, 12, 23, 30, tzinfo=UTC)

    assert make(plan, starts_at=just_after_midnight_in_berlin).slug == "nightbirds-2099-12-13"


def test_a_title_in_any_script_gets_an_address(plan: SeatingPlan) -> None:
    assert make(plan, title="夜の鳥").slug == "show-2099-12-12"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prices": {"Front": 2500}}, "Give a price for: House."),
        ({"prices": {"Front": 1, "House": 1, "Boxes": 1}}, "The plan has no seats of: Boxes."),
        ({"prices": {"Front": 1, "House": -1}}, "A price cannot be negative."),
        ({"on_sale_at": START}, "The sale must open before the show starts."),
        ({"doors_at": START + timedelta(minutes=1)}, "The doors must open before the show starts."),
        ({"title": ""}, "cannot be blank"),
        ({"currency": "EURO"}, "at most 3 characters"),
        ({"currency": "eur"}, "show_currency_is_a_code"),
        ({"slug": "not a slug"}, "slug"),
    ],
)
def test_a_show_that_makes_no_sense_is_refused_and_nothing_is_created(
    plan: SeatingPlan, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ShowRefused) as caught:
        make(plan, **given)

    assert words in str(caught.value)
    assert not Show.objects.exists()
    assert not Seat.objects.exists()


def test_an_address_that_is_taken_is_refused(plan: SeatingPlan) -> None:
    make(plan, slug="nightbirds")

    with pytest.raises(ShowRefused, match="already exists"):
        make(plan, slug="nightbirds")

    assert Show.objects.count() == 1


def test_a_time_without_a_zone_is_refused(plan: SeatingPlan) -> None:
    with pytest.raises(ShowRefused, match="time zone"):
        make(plan, starts_at=START.replace(tzinfo=None))


def test_a_show_goes_through_its_states_and_no_other_way(make_show: Callable[..., Show]) -> None:
    ways = {
        (start, to) for start in Show.Status for to in Show.Status if _reached(make_show(f"{start} to {to}"), start, to)
    }

    assert ways == {(start, to) for to, starts in SHOW_MAY_COME_FROM.items() for start in starts}
    assert ("over", "scheduled") not in ways
    assert ("cancelled", "scheduled") not in ways


def _reached(show: Show, start: Show.Status, to: Show.Status) -> bool:
    Show.objects.filter(pk=show.pk).update(status=start)
    try:
        advance_show(show_id=show.pk, to=to)
    except TransitionRefused:
        assert Show.objects.get(pk=show.pk).status == start
        return False
    moved = Show.objects.get(pk=show.pk)
    assert (moved.status, moved.version) == (to, show.version + 1)
    return True


def test_a_show_that_does_not_exist_goes_nowhere(db: None) -> None:
    with pytest.raises(UnknownShow):
        advance_show(show_id=1, to=Show.Status.SCHEDULED)
