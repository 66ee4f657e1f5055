"""What pages read, counted in the database by its clock, in few queries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from inventory.advance_show import advance_show
from inventory.confirm_hold import confirm_hold
from inventory.errors import UnknownHold, UnknownShow
from inventory.hold_seats import HOLD_DURATION, hold_best_seats, hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.money import Money
from inventory.selectors import (
    Availability,
    availability,
    hold_by_token,
    seats_of_show,
    show_by_slug,
)
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import seat_ids

pytestmark = pytest.mark.django_db


def sell_out(show: Show) -> None:
    for tier in show.tiers.all():
        while free := min(8, Seat.objects.filter(tier=tier, status="available").count()):
            with transaction.atomic():
                confirm_hold(hold_id=hold_best_seats(show_id=show.pk, tier_id=tier.pk, count=free).pk)


def test_an_offer_counts_what_is_free_and_gives_the_lowest_and_the_highest_price(
    make_show: Callable[..., Show],
) -> None:
    show = make_show(prices={"Front": 2500, "House": 1200})
    hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-1", "A-2"))

    offer = show_by_slug(slug=show.slug)

    assert (offer.price_from, offer.price_to) == (Money(1200, "EUR"), Money(2500, "EUR"))
    assert (offer.seats_free, offer.seats_total) == (30, 32)
    assert (offer.sells, offer.opens_later, offer.is_sold_out) == (True, False, False)


def test_seats_of_a_lapsed_hold_count_as_free_though_no_sweeper_ran(show_on_sale: Show, lapsed_hold: Hold) -> None:
    assert show_by_slug(slug=show_on_sale.slug).seats_free == 32
    assert availability(show_id=show_on_sale.pk) == Availability(free=32, held=0, sold=0, blocked=0)
    states = {item.seat.guid: item.state for item in seats_of_show(show_id=show_on_sale.pk)}
    assert states["A-1"] == "free"


def test_a_show_whose_seats_are_all_gone_is_sold_out(show_on_sale: Show) -> None:
    sell_out(show_on_sale)

    offer = show_by_slug(slug=show_on_sale.slug)

    assert (offer.seats_free, offer.sells, offer.is_sold_out) == (0, True, True)


def test_a_show_opens_by_the_databases_clock(show_opening_tomorrow: Show, clock: Clock) -> None:
    before = show_by_slug(slug=show_opening_tomorrow.slug)
    clock.advance(timedelta(days=1, seconds=1))
    after = show_by_slug(slug=show_opening_tomorrow.slug)

    assert (before.sells, before.opens_later, before.is_sold_out) == (False, True, False)
    assert (after.sells, after.opens_later) == (True, False)


def test_a_show_is_found_by_its_address_with_its_tiers(
    show_on_sale: Show, django_assert_num_queries: Callable[..., object]
) -> None:
    with django_assert_num_queries(2):  # type: ignore[attr-defined]
        offer = show_by_slug(slug=show_on_sale.slug)
        assert [tier.money for tier in offer.show.tiers.all()] == [Money(0, "EUR"), Money(0, "EUR")]
        assert offer.show.venue.name == "Kammertheater"


def test_a_cancelled_show_is_still_found_and_a_draft_is_not(show_on_sale: Show, draft_show: Show) -> None:
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)

    offer = show_by_slug(slug=show_on_sale.slug)

    assert (offer.sells, offer.opens_later) == (False, False)
    for slug in (draft_show.slug, "no-such-show"):
        with pytest.raises(UnknownShow):
            show_by_slug(slug=slug)


def test_seats_come_in_the_order_of_the_plan_with_tier_and_state(
    show_on_sale: Show, held_seats: Hold, django_assert_num_queries: Callable[..., object]
) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1"))
    Seat.objects.filter(show=show_on_sale, guid="D-8").update(status="blocked")

    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        items = seats_of_show(show_id=show_on_sale.pk)
        tiers = {item.seat.guid: item.seat.tier.name for item in items}

    assert [item.seat.position for item in items] == list(range(1, 33))
    states = {item.seat.guid: item.state for item in items if item.state != "free"}
    assert states == {"A-1": "sold", "A-2": "sold", "B-1": "held", "D-8": "blocked"}
    assert (tiers["A-1"], tiers["B-1"]) == ("Front", "House")
    assert availability(show_id=show_on_sale.pk) == Availability(free=28, held=1, sold=2, blocked=1)
    assert availability(show_id=show_on_sale.pk).total == 32


def test_a_hold_is_found_with_its_seats_and_the_time_that_is_left(
    show_on_sale: Show, held_seats: Hold, clock: Clock, django_assert_num_queries: Callable[..., object]
) -> None:
    clock.advance(timedelta(minutes=3))

    with django_assert_num_queries(2):  # type: ignore[attr-defined]
        held = hold_by_token(token=held_seats.token)
        assert [seat.label for seat in held.seats] == ["Stalls, row A, seat 1", "Stalls, row A, seat 2"]
        assert [seat.tier.name for seat in held.seats] == ["Front", "Front"]
        assert held.hold.show.venue.city == "Berlin"

    assert held.is_open
    assert isinstance(held.seconds_left, int)
    assert 7 * 60 - 20 < held.seconds_left <= 7 * 60


def test_the_last_second_of_a_hold_counts_until_it_is_over(held_seats: Hold, clock: Clock) -> None:
    clock.stand_still(at=held_seats.expires_at - timedelta(milliseconds=300))
    held = hold_by_token(token=held_seats.token)

    assert (held.is_open, held.seconds_left) == (True, 1)


def test_a_lapsed_hold_is_not_open_and_still_knows_its_seats(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    clock.advance(HOLD_DURATION)
    lapsed = hold_by_token(token=held_seats.token)
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1"))

    taken = hold_by_token(token=held_seats.token)

    for held in (lapsed, taken):
        assert (held.is_open, held.seconds_left) == (False, 0)
        assert [seat.guid for seat in held.seats] == ["A-1", "A-2"]


def test_a_confirmed_hold_is_not_open(held_seats: Hold) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)

    held = hold_by_token(token=held_seats.token)

    assert (held.is_open, held.seconds_left, held.hold.status) == (False, 0, "confirmed")


def test_an_unknown_hold_says_so(db: None) -> None:
    with pytest.raises(UnknownHold):
        hold_by_token(token=uuid4())


def test_a_show_without_tiers_has_no_price(show_on_sale: Show) -> None:
    Seat.objects.all().delete()
    PriceTier.objects.all().delete()

    offer = show_by_slug(slug=show_on_sale.slug)

    assert (offer.price_from, offer.price_to, offer.seats_total, offer.seats_free) == (None, None, 0, 0)
