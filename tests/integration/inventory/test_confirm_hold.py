"""Confirming a hold: only while it is active and its time is not over, and all of its seats or none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from inventory.confirm_hold import confirm_hold
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive, InventoryError, UnknownHold
from inventory.expire_holds import expire_holds
from inventory.hold_seats import HOLD_DURATION, hold_seats
from inventory.models import Hold, Seat, Show
from inventory.release_hold import release_hold
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import seat_ids, statuses

pytestmark = pytest.mark.django_db


@pytest.fixture
def in_transaction() -> Iterator[None]:
    with transaction.atomic():
        yield


def refused(error: type[InventoryError], hold_id: int) -> InventoryError:
    before = list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values())
    with pytest.raises(error) as caught, transaction.atomic():
        confirm_hold(hold_id=hold_id)
    assert before == (list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values()))
    return caught.value


def test_a_confirmed_hold_sells_exactly_its_seats(show_on_sale: Show, held_seats: Hold) -> None:
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-3"))

    with transaction.atomic():
        seats = confirm_hold(hold_id=held_seats.pk)

    assert [seat.guid for seat in seats] == ["A-1", "A-2"]
    assert {(seat.status, seat.version, seat.hold_id) for seat in seats} == {("sold", 3, held_seats.pk)}
    sold = {guid for guid, status in statuses(show_on_sale).items() if status == "sold"}
    assert sold == {"A-1", "A-2"}
    held_seats.refresh_from_db()
    assert held_seats.status == "confirmed"


def test_confirming_costs_two_queries(held_seats: Hold, django_assert_num_queries: object) -> None:
    with transaction.atomic(), django_assert_num_queries(2):  # type: ignore[operator]
        confirm_hold(hold_id=held_seats.pk)


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_it_refuses(held_seats: Hold) -> None:
    with pytest.raises(TransactionManagementError, match="inside the transaction"):
        confirm_hold(hold_id=held_seats.pk)


def test_a_hold_that_expired_cannot_be_confirmed_even_if_no_sweeper_ran(held_seats: Hold, clock: Clock) -> None:
    clock.advance(HOLD_DURATION)

    refusal = refused(HoldExpired, held_seats.pk)

    assert str(refusal) == "The time to buy these seats has run out. Choose your seats again."
    assert refusal.status_code == 410


def test_a_hold_can_be_confirmed_in_its_last_second(held_seats: Hold, clock: Clock) -> None:
    clock.advance(HOLD_DURATION - timedelta(seconds=20))

    with transaction.atomic():
        assert len(confirm_hold(hold_id=held_seats.pk)) == 2


def test_a_hold_that_the_sweeper_expired_cannot_be_confirmed(lapsed_hold: Hold) -> None:
    assert expire_holds() == 1

    refused(HoldExpired, lapsed_hold.pk)


def test_a_hold_cannot_be_confirmed_twice(held_seats: Hold) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)

    assert refused(HoldNotActive, held_seats.pk).status_code == 409


def test_a_released_hold_cannot_be_confirmed(held_seats: Hold) -> None:
    release_hold(token=held_seats.token)

    refused(HoldNotActive, held_seats.pk)


def test_a_hold_that_does_not_exist_cannot_be_confirmed(held_seats: Hold) -> None:
    assert refused(UnknownHold, held_seats.pk + 1).status_code == 404


def test_a_hold_that_lost_a_seat_sells_nothing(show_on_sale: Show, held_seats: Hold) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE inventory_seat SET status = 'available', hold_id = NULL WHERE guid = 'A-2' AND show_id = %s",
            [show_on_sale.pk],
        )

    refused(HoldIncomplete, held_seats.pk)


def test_releasing_gives_the_seats_back_at_once(show_on_sale: Show, held_seats: Hold) -> None:
    assert release_hold(token=held_seats.token) is True

    held_seats.refresh_from_db()
    assert held_seats.status == "released"
    assert set(statuses(show_on_sale).values()) == {"available"}
    assert hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)


def test_releasing_twice_does_no_harm_to_the_next_fan(show_on_sale: Show, held_seats: Hold) -> None:
    release_hold(token=held_seats.token)
    next_hold = hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)

    assert release_hold(token=held_seats.token) is False

    assert next_hold.seats.filter(status="held").count() == 2


def test_releasing_a_hold_whose_seats_were_taken_after_it_lapsed_changes_nothing(
    show_on_sale: Show, lapsed_hold: Hold
) -> None:
    next_hold = hold_seats(show_id=show_on_sale.pk, seat_ids=lapsed_hold.seat_ids)

    assert release_hold(token=lapsed_hold.token) is False

    assert next_hold.seats.filter(status="held").count() == 2


def test_a_hold_that_was_bought_cannot_be_released(show_on_sale: Show, held_seats: Hold) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)

    with pytest.raises(HoldNotActive):
        release_hold(token=held_seats.token)

    assert statuses(show_on_sale)["A-1"] == "sold"


def test_releasing_an_unknown_hold_says_so(db: None) -> None:
    with pytest.raises(UnknownHold):
        release_hold(token=uuid4())
