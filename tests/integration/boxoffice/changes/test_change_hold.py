"""Staff end and extend holds: once however often they press, and with their names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from boxoffice.changes.change_hold import extend_hold, release_hold
from boxoffice.changes.errors import HoldIsOver, HoldTooLong
from boxoffice.confirm_order import confirm_order
from boxoffice.models import HoldAction, Order, Payment
from inventory.expire_hold import expire_hold
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat
from jobs.clock import database_now
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, let_lapse
from tests.fixtures_refunds import WHO_AND_WHY

pytestmark = pytest.mark.django_db


def extend(hold: Hold, minutes: int = 15) -> object:
    return extend_hold(hold_id=hold.pk, minutes=minutes, seen=hold.expires_at, **WHO_AND_WHY)


def test_released_seats_are_on_sale_at_once_and_the_trail_says_who(held_seats: Hold) -> None:
    assert release_hold(hold_id=held_seats.pk, **WHO_AND_WHY).seats == 2
    assert set(Seat.objects.values_list("status", flat=True)) == {"available"}
    action = HoldAction.objects.get()
    assert (action.action, action.by, action.reason, action.ended_at) == (
        "release", "anna", "the fan is ill", held_seats.expires_at,
    )  # fmt: skip
    with pytest.raises(HoldIsOver):
        release_hold(hold_id=held_seats.pk, **WHO_AND_WHY)


def test_the_payment_page_of_a_released_hold_is_closed(started_payment: Payment, send: Callable[..., Job]) -> None:
    assert release_hold(hold_id=started_payment.order.hold_id, **WHO_AND_WHY).page_closed
    send("boxoffice.settle_payment")
    started_payment.refresh_from_db()
    started_payment.order.refresh_from_db()
    assert (started_payment.status, started_payment.order.status) == ("expired", "expired")


def test_an_extended_hold_can_be_bought_after_its_old_end(placed_order: Order, clock: Clock) -> None:
    extend(placed_order.hold)
    clock.advance(timedelta(minutes=20))
    expire_hold(hold_id=placed_order.hold_id)
    assert confirm_order(order_id=placed_order.pk).status == "confirmed"


def test_pressed_twice_it_is_extended_once(held_seats: Hold) -> None:
    assert extend(held_seats) == held_seats.expires_at + timedelta(minutes=15)
    with pytest.raises(HoldIsOver):
        extend(held_seats)
    assert HoldAction.objects.count() == 1


def test_no_hold_lasts_longer_than_two_hours_from_now(held_seats: Hold) -> None:
    with pytest.raises(HoldTooLong):
        extend(held_seats, minutes=115)
    extend(held_seats, minutes=105)
    held_seats.refresh_from_db()
    assert held_seats.expires_at < database_now() + timedelta(hours=2)


def test_what_has_lapsed_or_is_bought_is_neither_extended_nor_released(held_seats: Hold, placed_order: Order) -> None:
    confirm_order(order_id=placed_order.pk)
    with pytest.raises(HoldIsOver):
        extend(held_seats)
    with pytest.raises(HoldIsOver):
        release_hold(hold_id=held_seats.pk, **WHO_AND_WHY)
    free = Seat.objects.filter(status="available").values_list("pk", flat=True)[:1]
    lapsed = hold_seats(show_id=held_seats.show_id, seat_ids=list(free))
    let_lapse(lapsed)
    lapsed.refresh_from_db()
    with pytest.raises(HoldIsOver):
        extend(lapsed)
    with pytest.raises(HoldIsOver):
        release_hold(hold_id=lapsed.pk, **WHO_AND_WHY)


@pytest.mark.django_db(transaction=True)
def test_two_who_extend_at_once_extend_it_once(held_seats: Hold) -> None:
    outcomes = all_at_once([lambda: extend(held_seats)] * 2, threads=2)
    assert sum(isinstance(each, HoldIsOver) for each in outcomes) == 1, outcomes
    held_seats.refresh_from_db()
    assert HoldAction.objects.get().ends_at == held_seats.expires_at
