"""Holding chosen seats: all or nothing, and a refusal says what to do and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from inventory.advance_show import advance_show
from inventory.confirm_hold import confirm_hold
from inventory.errors import (
    DuplicateSeats,
    InventoryError,
    NoSeatsChosen,
    NotOnSale,
    SeatsTaken,
    TooManySeats,
    UnknownSeats,
    UnknownShow,
)
from inventory.hold_seats import HOLD_DURATION, MAX_SEATS_PER_HOLD, hold_seats
from inventory.models import Hold, Seat, Show
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, seat_ids, statuses

pytestmark = pytest.mark.django_db


def refused(
    error: type[InventoryError], *, show: Show, chosen: list[int], show_id: int | None = None
) -> InventoryError:
    """The refusal of this choice, after checking that it changed nothing."""
    before = list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values())
    with pytest.raises(error) as caught:
        hold_seats(show_id=show.pk if show_id is None else show_id, seat_ids=chosen)
    after = list(Seat.objects.order_by("pk").values()), list(Hold.objects.order_by("pk").values())
    assert after == before
    return caught.value


def test_chosen_seats_are_held_for_ten_minutes_and_no_others(show_on_sale: Show) -> None:
    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-5", "A-1"))

    stored = Hold.objects.get(pk=hold.pk)
    assert (stored.status, stored.token, stored.show_id) == ("active", hold.token, show_on_sale.pk)
    assert stored.expires_at - stored.created_at == HOLD_DURATION == timedelta(minutes=10)
    assert stored.seat_ids == seat_ids(show_on_sale, "A-1", "B-5")
    held = {guid for guid, status in statuses(show_on_sale).items() if status == "held"}
    assert held == {"A-1", "B-5"}
    assert {seat.version for seat in stored.seats.all()} == {2}


def test_seats_that_another_fan_holds_are_refused_by_name(show_on_sale: Show, held_seats: Hold) -> None:
    refusal = refused(SeatsTaken, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-2", "A-3"))

    assert str(refusal) == ("This seat has just been taken: Stalls, row A, seat 2. Choose another one.")
    assert refusal.status_code == 409


def test_several_taken_seats_are_all_named(show_on_sale: Show, held_seats: Hold) -> None:
    refusal = refused(SeatsTaken, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-2", "A-3", "A-1"))

    assert "Stalls, row A, seat 1; Stalls, row A, seat 2. Choose others." in str(refusal)


def test_sold_seats_are_refused_even_when_their_holds_time_is_long_over(show_on_sale: Show, held_seats: Hold) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    let_lapse(held_seats)

    refused(SeatsTaken, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-1"))


def test_blocked_seats_are_refused(show_on_sale: Show) -> None:
    Seat.objects.filter(show=show_on_sale, guid="A-1").update(status="blocked")

    refused(SeatsTaken, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-1", "A-2"))


def test_seats_of_another_show_are_refused(show_on_sale: Show, other_show: Show) -> None:
    mixed = seat_ids(show_on_sale, "A-1") + seat_ids(other_show, "A-2")

    refusal = refused(UnknownSeats, show=show_on_sale, chosen=mixed)

    assert "do not belong to this show" in str(refusal)
    assert refusal.status_code == 422


@pytest.mark.parametrize("unknown", [0, -1, 999_999_999, 2**63, -(10**30)])
def test_seats_that_do_not_exist_are_refused(show_on_sale: Show, unknown: int) -> None:
    refused(UnknownSeats, show=show_on_sale, chosen=[*seat_ids(show_on_sale, "A-1"), unknown])


def test_the_same_seat_twice_is_refused(show_on_sale: Show) -> None:
    refusal = refused(DuplicateSeats, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-1", "A-1"))

    assert refusal.status_code == 422


def test_more_than_ten_seats_are_refused_and_ten_are_not(show_on_sale: Show) -> None:
    everything = seat_ids(show_on_sale)

    refusal = refused(TooManySeats, show=show_on_sale, chosen=everything[:11])

    assert str(refusal) == "You can take up to 10 seats at once. Choose fewer."
    assert len(hold_seats(show_id=show_on_sale.pk, seat_ids=everything[:MAX_SEATS_PER_HOLD]).seat_ids) == 10


def test_no_seat_at_all_is_refused(show_on_sale: Show) -> None:
    refused(NoSeatsChosen, show=show_on_sale, chosen=[])


@pytest.mark.parametrize("unknown", [0, 999_999_999, 2**63])
def test_a_show_that_does_not_exist_is_refused(show_on_sale: Show, unknown: int) -> None:
    chosen = seat_ids(show_on_sale, "A-1")

    refusal = refused(UnknownShow, show=show_on_sale, chosen=chosen, show_id=unknown)

    assert refusal.status_code == 404


def test_before_the_sale_opens_the_fan_is_told_when_in_the_venues_time(make_show: Callable[..., Show]) -> None:
    opening = datetime(2099, 12, 12, 18, 30, tzinfo=UTC)
    show = make_show(on_sale_at=opening, starts_at=opening + timedelta(days=30))

    refusal = refused(NotOnSale, show=show, chosen=seat_ids(show, "A-1"))

    assert str(refusal) == ("Tickets for this show go on sale on Sat 12 Dec 2099, 19:30, Berlin time. Come back then.")
    assert isinstance(refusal, NotOnSale)
    assert refusal.opens_at == opening
    assert refusal.status_code == 409


def test_the_sale_opens_at_its_instant_though_no_job_has_run(show_opening_tomorrow: Show, clock: Clock) -> None:
    chosen = seat_ids(show_opening_tomorrow, "A-1")
    clock.advance(show_opening_tomorrow.on_sale_at - database_now() - timedelta(seconds=5))
    refused(NotOnSale, show=show_opening_tomorrow, chosen=chosen)

    clock.advance(timedelta(seconds=6))

    assert hold_seats(show_id=show_opening_tomorrow.pk, seat_ids=chosen)


def test_the_sale_ends_when_the_show_begins_though_no_job_has_run(show_on_sale: Show, clock: Clock) -> None:
    clock.advance(show_on_sale.starts_at - database_now() + timedelta(seconds=1))

    refusal = refused(NotOnSale, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-1"))

    assert "has begun" in str(refusal)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Show.Status.CANCELLED, "cancelled"),
        (Show.Status.POSTPONED, "moved to another date"),
        (Show.Status.OVER, "is over"),
    ],
)
def test_a_show_that_is_not_scheduled_does_not_sell_and_says_why(
    show_on_sale: Show, status: Show.Status, words: str
) -> None:
    advance_show(show_id=show_on_sale.pk, to=status)

    refusal = refused(NotOnSale, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-1"))

    assert words in str(refusal)
    assert isinstance(refusal, NotOnSale)
    assert refusal.opens_at is None


def test_a_draft_does_not_sell(draft_show: Show) -> None:
    refusal = refused(NotOnSale, show=draft_show, chosen=seat_ids(draft_show, "A-1"))

    assert "not on sale yet" in str(refusal)


def test_an_expired_holds_seats_can_be_taken_at_once_though_no_sweeper_ran(
    show_on_sale: Show, lapsed_hold: Hold
) -> None:
    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-2", "A-3"))

    lapsed_hold.refresh_from_db()
    assert lapsed_hold.status == "expired"
    assert set(hold.seats.values_list("guid", flat=True)) == {"A-2", "A-3"}
    # All seats of the lapsed hold are free again, not only the one that was wanted.
    assert statuses(show_on_sale)["A-1"] == "available"
    assert Seat.objects.get(show=show_on_sale, guid="A-1").version == 3


def test_a_refusal_does_not_even_expire_the_lapsed_hold_that_it_met(show_on_sale: Show, lapsed_hold: Hold) -> None:
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-3"))

    refused(SeatsTaken, show=show_on_sale, chosen=seat_ids(show_on_sale, "A-2", "A-3"))


def test_seats_of_several_lapsed_holds_are_taken_together(show_on_sale: Show) -> None:
    holds = [hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, guid)) for guid in ("A-1", "C-4")]
    let_lapse(*holds)

    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "B-2", "C-4"))

    assert hold.seats.count() == 3
    assert set(Hold.objects.exclude(pk=hold.pk).values_list("status", flat=True)) == {"expired"}
