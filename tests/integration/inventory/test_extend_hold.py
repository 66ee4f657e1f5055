"""More time for a hold: once, not for one whose time is over, and its job follows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.db import transaction

from inventory.confirm_hold import confirm_hold
from inventory.errors import HoldExpired, HoldNotActive, SeatsTaken, UnknownHold
from inventory.expire_hold import expire_hold
from inventory.expire_holds import expire_holds
from inventory.extend_hold import EXTENSION, extend_hold
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Show
from inventory.release_hold import release_hold
from jobs.models import Job
from tests.expired_holds import real_commits
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids, statuses

HOLD_LASTS = timedelta(minutes=10)


@pytest.mark.django_db
def test_a_hold_is_extended_once_however_often_that_is_asked_for(held_seats: Hold) -> None:
    ends = held_seats.expires_at
    with statements() as seen:
        assert extend_hold(token=held_seats.token)
    assert len(seen) == 1

    assert not extend_hold(token=held_seats.token)

    held_seats.refresh_from_db()
    assert held_seats.expires_at == ends + EXTENSION
    assert held_seats.extended_at is not None


@real_commits
def test_pressed_twice_at_the_same_moment_it_is_extended_once(make_show: Callable[..., Show]) -> None:
    show = make_show()
    for seat in seat_ids(show)[:5]:
        hold = hold_seats(show_id=show.pk, seat_ids=[seat])
        outcomes = all_at_once([partial(extend_hold, token=hold.token)] * 6, threads=6)

        assert sorted(outcomes, key=bool) == [False] * 5 + [True]
        ends = hold.expires_at
        hold.refresh_from_db()
        assert hold.expires_at == ends + EXTENSION


@pytest.mark.django_db
def test_a_hold_that_was_extended_lasts_longer_and_then_its_job_ends_it(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    clock.advance(HOLD_LASTS - timedelta(seconds=30))
    extend_hold(token=held_seats.token)
    clock.advance(timedelta(minutes=1))
    with pytest.raises(SeatsTaken):
        hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)

    # The job comes at the end that the hold had when it was left.
    with transaction.atomic():
        assert not expire_hold(hold_id=held_seats.pk)
    held_seats.refresh_from_db()
    assert Job.objects.filter(task="inventory.expire_hold").latest("pk").available_at == held_seats.expires_at
    assert expire_holds() == 0

    clock.advance(EXTENSION)
    with transaction.atomic():
        assert expire_hold(hold_id=held_seats.pk)
    assert statuses(show_on_sale)["A-1"] == "available"


@pytest.mark.django_db
@pytest.mark.parametrize("swept", [False, True])
def test_a_hold_whose_time_is_over_is_not_extended_whether_or_not_any_job_ran(lapsed_hold: Hold, swept: bool) -> None:
    if swept:
        expire_holds()
    with pytest.raises(HoldExpired):
        extend_hold(token=lapsed_hold.token)


@pytest.mark.django_db
def test_what_was_bought_given_back_or_never_held_is_not_extended(show_on_sale: Show, held_seats: Hold) -> None:
    with transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    other = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1"))
    release_hold(token=other.token)
    for hold in (held_seats, other):
        with pytest.raises(HoldNotActive):
            extend_hold(token=hold.token)
    with pytest.raises(UnknownHold):
        extend_hold(token=uuid4())


@pytest.mark.django_db
def test_an_extended_hold_that_has_lapsed_says_so_and_is_not_extended_again(held_seats: Hold) -> None:
    extend_hold(token=held_seats.token)
    let_lapse(held_seats)
    with pytest.raises(HoldExpired):
        extend_hold(token=held_seats.token)
