"""Placing orders, against real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest

from boxoffice import place_order as service
from boxoffice.confirm_order import confirm_order
from boxoffice.errors import InvalidContact
from boxoffice.models import Order, OrderLine
from boxoffice.selectors import lines_of_order
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive, UnknownHold
from inventory.models import Hold, PriceTier, Seat
from inventory.release_hold import release_hold
from tests.fixtures_boxoffice import jobs_about_orders, place
from tests.fixtures_inventory import all_at_once, let_lapse

pytestmark = pytest.mark.django_db


def test_a_hold_becomes_an_order_that_waits(held_seats: Hold) -> None:
    order = place(held_seats, name=" Ada Lovelace ", email="ada@Example.org", language="de")

    order.refresh_from_db()
    assert order.status == Order.Status.PENDING_PAYMENT
    assert (order.name, order.email, order.language) == ("Ada Lovelace", "ada@example.org", "de")
    assert (order.total, order.currency, order.confirmed_at) == (0, "EUR", None)
    assert order.show_id == held_seats.show_id
    assert [line.seat_id for line in lines_of_order(order_id=order.pk)] == held_seats.seat_ids
    assert len(order.token) == 32
    assert not jobs_about_orders().exists()


def test_the_price_is_written_down_and_a_later_change_of_the_tier_does_not_reach_it(held_seats: Hold) -> None:
    order = place(held_seats)
    PriceTier.objects.update(price=4_200, name="Renamed")

    assert [(line.price, line.tier_name) for line in order.lines.all()] == [(0, "Front"), (0, "Front")]


def test_the_same_hold_placed_again_gives_the_same_order_and_enqueues_nothing(held_seats: Hold) -> None:
    first = place(held_seats)
    again = place(held_seats)

    assert (again.pk, again.code, again.token) == (first.pk, first.code, first.token)
    assert Order.objects.count() == 1
    assert OrderLine.objects.count() == 2
    assert not jobs_about_orders().exists()


def test_an_address_corrected_before_the_confirmation_counts(held_seats: Hold) -> None:
    first = place(held_seats, email="ada@exmaple.org")
    again = place(held_seats, name="Ada King", email="ada@example.org", language="de")

    assert again.pk == first.pk
    first.refresh_from_db()
    assert (first.name, first.email, first.language) == ("Ada King", "ada@example.org", "de")


def test_a_confirmed_order_keeps_its_buyer_when_the_form_is_sent_again(confirmed_order: Order) -> None:
    again = place(confirmed_order.hold, name="Mallory", email="mallory@example.org")

    assert again.pk == confirmed_order.pk
    confirmed_order.refresh_from_db()
    assert (confirmed_order.name, confirmed_order.email) == ("Ada Lovelace", "ada@example.org")


def test_a_hold_whose_time_is_over_is_refused_though_no_job_has_marked_it(lapsed_hold: Hold) -> None:
    with pytest.raises(HoldExpired) as refusal:
        place(lapsed_hold)
    assert refusal.value.status_code == 410
    assert not Order.objects.exists()


def test_an_order_placed_in_time_is_found_again_after_the_hold_lapsed(placed_order: Order) -> None:
    let_lapse(placed_order.hold)

    assert place(placed_order.hold).pk == placed_order.pk


def test_a_released_hold_is_refused(held_seats: Hold) -> None:
    release_hold(token=held_seats.token)
    with pytest.raises(HoldNotActive):
        place(held_seats)


def test_an_unknown_hold_is_refused(db: None) -> None:
    with pytest.raises(UnknownHold) as refusal:
        service.place_order(hold_token=uuid4(), name="Ada", email="ada@example.org", language="en")
    assert refusal.value.status_code == 404


def test_a_hold_that_lost_a_seat_is_refused(held_seats: Hold) -> None:
    Seat.objects.filter(pk=held_seats.seat_ids[0]).update(status=Seat.Status.AVAILABLE, hold=None)
    with pytest.raises(HoldIncomplete):
        place(held_seats)
    assert not Order.objects.exists()


def test_seats_that_cost_money_become_an_order_that_waits_for_its_payment(make_hold: Callable[..., Hold]) -> None:
    order = place(make_hold(prices={"Front": 0, "House": 4_200}, seats=9))
    assert (order.status, order.total, order.currency) == ("pending_payment", 4_200, "EUR")


def test_a_wrong_name_and_address_change_nothing(held_seats: Hold) -> None:
    with pytest.raises(InvalidContact) as refusal:
        place(held_seats, name="Ada\nLovelace", email="ada@")
    assert set(refusal.value.fields) == {"name", "email"}
    assert not Order.objects.exists()


def test_a_language_that_is_not_offered_falls_back_to_the_default(held_seats: Hold) -> None:
    assert place(held_seats, language="tlh").language == "en"


def test_a_code_that_is_taken_is_drawn_again(
    make_hold: Callable[..., Hold], placed_order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter([placed_order.code, placed_order.code, "BCDFGHJK"])
    monkeypatch.setattr(service, "draw_code", lambda: next(codes))

    assert place(make_hold()).code == "BCDFGHJK"


@pytest.mark.django_db(transaction=True)
def test_two_posts_of_one_hold_at_once_make_one_order(make_hold: Callable[..., Hold]) -> None:
    for _ in range(5):
        hold = make_hold(seats=2)
        orders = all_at_once([partial(place, hold)] * 6, threads=6)

        assert len({order.pk for order in orders}) == 1, orders
        assert Order.objects.filter(hold=hold).count() == 1
        assert OrderLine.objects.filter(order__hold=hold).count() == 2


@pytest.mark.django_db(transaction=True)
def test_placing_and_confirming_at_once_do_not_block_each_other(make_hold: Callable[..., Hold]) -> None:
    for n in range(10):
        hold = make_hold(seats=2)
        order = place(hold)
        confirming = partial(confirm_order, order_id=order.pk)
        placing = partial(place, hold, name=f"Ada {n}")
        results = all_at_once([confirming, placing, confirming, placing], threads=4)
        assert [getattr(result, "pk", result) for result in results] == [order.pk] * 4
