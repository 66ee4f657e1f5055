"""Putting places without a number aside and back: the services, the page, and races with fans."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.models import ShowAction
from boxoffice.shows.errors import NothingPutAside
from boxoffice.shows.places_page import key_of
from boxoffice.shows.put_aside import put_places_aside, put_places_back
from inventory.advance_show import advance_show
from inventory.block_places import Area, areas_of
from inventory.demo.blocks import standing
from inventory.errors import AreaHasChanged, NotEnoughPlaces, NotEnoughSeats, TransitionRefused
from inventory.hold_seats import hold_best_seats
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Hold, Seat, Show, Venue
from jobs.errors import ReasonMissing
from tests.fixtures_inventory import all_at_once, let_lapse
from tests.fixtures_staff import staff_with

WHY = {"by": "anna", "reason": "for the sound desk"}
PLACES = 40


@pytest.fixture
def show_for_standing(venue: Venue, make_show: Callable[..., Show]) -> Show:
    """A floor of forty places without numbers, and a terrace of six."""
    zones = [
        standing("Floor", "Standing", (0, 0), (300, 300), places=PLACES),
        standing("Terrace", "Standing", (0, 400), (300, 100), places=6),
    ]
    categories = [{"name": "Standing", "color": "#0072b2"}]
    document = {"name": "Floor", "size": {"width": 300, "height": 500}, "categories": categories, "zones": zones}
    plan = import_seating_plan(venue=venue, raw=json.dumps(document).encode())
    return make_show("Loud night", plan=plan, prices={"Standing": 3800})


def floor(show: Show) -> Area:
    return areas_of(show_id=show.pk)[0]


def put(show: Show, count: int, *, aside: int = 0, back: bool = False) -> set[int]:
    service = put_places_back if back else put_places_aside
    return service(show_id=show.pk, area=floor(show), count=count, aside=aside, **WHY)


def hold(show: Show, count: int) -> Hold:
    area = floor(show)
    return hold_best_seats(show_id=show.pk, tier_id=area.tier_id, count=count, zone=area.zone)


def stand(show: Show) -> tuple[int, int]:
    """How many places of the floor are free, and aside."""
    return floor(show).free, floor(show).aside


@pytest.mark.django_db
def test_places_that_are_put_aside_cannot_be_had_until_they_are_put_back(show_for_standing: Show) -> None:
    put(show_for_standing, 35)
    assert stand(show_for_standing) == (5, 35)
    with pytest.raises(NotEnoughSeats):
        hold(show_for_standing, 6)
    put(show_for_standing, 3, aside=35, back=True)
    assert stand(show_for_standing) == (8, 32)
    hold(show_for_standing, 6)
    details = [(action.action, action.details) for action in ShowAction.objects.order_by("pk")]
    assert details == [
        ("block", {"area": "Floor", "places": 35}),
        ("unblock", {"area": "Floor", "places": 3}),
    ]


@pytest.mark.django_db
def test_a_page_that_is_sent_twice_puts_places_aside_once(show_for_standing: Show) -> None:
    put(show_for_standing, 4)
    with pytest.raises(AreaHasChanged):
        put(show_for_standing, 4)
    with pytest.raises(NothingPutAside):
        put(show_for_standing, 0, aside=4)
    assert stand(show_for_standing) == (36, 4)
    assert ShowAction.objects.count() == 1


@pytest.mark.django_db
def test_more_places_than_are_free_or_aside_change_nothing(show_for_standing: Show) -> None:
    hold(show_for_standing, 10)
    with pytest.raises(NotEnoughPlaces):
        put(show_for_standing, 31)
    put(show_for_standing, 30)
    with pytest.raises(NotEnoughPlaces):
        put(show_for_standing, 31, aside=30, back=True)
    assert stand(show_for_standing) == (0, 30)


@pytest.mark.django_db
def test_places_of_a_lapsed_hold_are_taken_last_and_their_hold_ends(show_for_standing: Show) -> None:
    lapsed = hold(show_for_standing, 10)
    let_lapse(lapsed)
    put(show_for_standing, 30)
    lapsed.refresh_from_db()
    assert lapsed.status == Hold.Status.ACTIVE
    put(show_for_standing, 4, aside=30)
    lapsed.refresh_from_db()
    assert lapsed.status == Hold.Status.EXPIRED
    assert stand(show_for_standing) == (6, 34)


@pytest.mark.django_db
def test_places_of_a_cancelled_show_stay_and_a_reason_must_be_given(show_for_standing: Show) -> None:
    area = floor(show_for_standing)
    with pytest.raises(ReasonMissing):
        put_places_aside(show_id=show_for_standing.pk, area=area, count=1, aside=0, by="anna", reason=" ")
    advance_show(show_id=show_for_standing.pk, to=Show.Status.CANCELLED)
    with pytest.raises(TransitionRefused):
        put(show_for_standing, 1)
    assert stand(show_for_standing) == (PLACES, 0)


@pytest.mark.django_db
def test_the_page_names_the_areas_asks_once_and_does_it(staff: Client, show_for_standing: Show) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_for_standing.pk])
    key = key_of(floor(show_for_standing))
    assert "<bdi>Terrace</bdi>" in staff.get(address).content.decode()
    too_many = staff.get(address, {"area": key, "what": "aside", "places": "41"})
    assert "Only 40 places are free there." in too_many.content.decode()
    asked = staff.get(address, {"area": key, "what": "aside", "places": "12"})
    assert "Free after that: 28." in asked.content.decode()
    fields = {**dict(asked.context["hidden"]), "reason": "for the sound desk"}
    assert "This field is required" in staff.post(address, {**fields, "reason": ""}).content.decode()
    assert "Put aside: 12 × Floor." in staff.post(address, fields, follow=True).content.decode()
    assert "nothing was changed" in staff.post(address, fields, follow=True).content.decode()
    assert stand(show_for_standing) == (28, 12)
    assert ShowAction.objects.get().by == "operator"
    assert (
        "12 × Floor" in staff.get(reverse("admin:inventory_show_change", args=[show_for_standing.pk])).content.decode()
    )


@pytest.mark.django_db
def test_who_may_not_put_seats_aside_puts_no_places_aside(client: Client, show_for_standing: Show) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_for_standing.pk])
    browser = staff_with(client, "view_show", "change_show")
    sent = {"area": key_of(floor(show_for_standing)), "what": "aside", "places": "1", "seen": "0", "reason": "why"}
    assert browser.get(address, {"area": sent["area"]}).status_code == 403
    assert browser.post(address, sent).status_code == 403
    assert stand(show_for_standing) == (PLACES, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("junk", [{"area": "1 Nowhere"}, {"area": ""}])
def test_an_area_that_there_is_not_is_not_found(staff: Client, show_for_standing: Show, junk: dict[str, str]) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_for_standing.pk])
    assert staff.get(address, junk).status_code == 404
    key = key_of(floor(show_for_standing))
    assert staff.post(address, {"area": key, "places": "-1", "seen": "x", "reason": "r"}).status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lapsed", [0, 3])
def test_a_place_is_held_or_aside_and_never_both_though_fans_and_staff_want_all(
    show_for_standing: Show, lapsed: int
) -> None:
    let_lapse(*(hold(show_for_standing, 3) for _ in range(lapsed)))
    attempts: list[Callable[[], object]] = [partial(hold, show_for_standing, 2) for _ in range(30)]
    attempts[::6] = [partial(put, show_for_standing, 6) for _ in range(5)]
    outcomes = all_at_once(attempts, threads=15)
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {type(refusal) for refusal in refusals} <= {NotEnoughSeats, NotEnoughPlaces, AreaHasChanged}
    holds = [outcome for outcome in outcomes if isinstance(outcome, Hold)]
    aside = [outcome for outcome in outcomes if isinstance(outcome, set)]
    # Of the five who saw none aside, one has changed that.
    assert len(aside) <= 1
    held = [seat for each in holds for seat in each.seat_ids]
    assert len(held) == len(set(held))
    blocked = set(Seat.objects.filter(status="blocked").values_list("pk", flat=True))
    assert blocked == set().union(*aside)
    assert blocked.isdisjoint(held)
    assert set(Seat.objects.filter(status="held", hold__in=holds).values_list("pk", flat=True)) == set(held)


@pytest.mark.django_db(transaction=True)
def test_two_who_put_places_back_at_once_put_them_back_once(show_for_standing: Show) -> None:
    put(show_for_standing, 20)
    outcomes = all_at_once([partial(put, show_for_standing, 5, aside=20, back=True)] * 8, threads=8)
    assert len([outcome for outcome in outcomes if isinstance(outcome, set)]) == 1
    assert stand(show_for_standing) == (25, 15)
