"""A lapsed hold ends in three ways, and needs none of them: what each counts, and what they do to each other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from django.db import transaction

from inventory.confirm_hold import confirm_hold
from inventory.errors import HoldExpired, SeatsTaken
from inventory.expire_hold import expire_hold
from inventory.expire_holds import expire_holds
from inventory.hold_seats import HOLD_DURATION, hold_seats
from inventory.models import Hold, Seat, Show
from inventory.release_expired_holds import release_expired_holds
from inventory.release_hold import release_hold
from jobs.models import Job
from tests.expired_holds import assert_whole, counting, real_commits
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids

pytestmark = real_commits


def run_job_of(hold: Hold) -> bool:
    with transaction.atomic():
        return expire_hold(hold_id=hold.pk)


def versions(hold: Hold) -> set[int]:
    return set(Seat.objects.filter(pk__in=hold.seat_ids).values_list("version", flat=True))


def test_with_scheduler_jobs_and_workers_dead_an_expired_hold_cannot_be_confirmed_and_its_seats_can_be_taken_at_once(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    clock.advance(HOLD_DURATION)

    with pytest.raises(HoldExpired), transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    assert list(Job.objects.exclude(state="waiting")) == []
    assert Hold.objects.get(pk=held_seats.pk).status == "active"  # nobody has marked it

    with counting() as counted:
        mine = hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)

    assert counted.expired == {"lazily": 1}
    assert_whole(held_seats)
    assert_whole(mine)
    assert (held_seats.status, mine.status) == ("expired", "active")
    with pytest.raises(HoldExpired), transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    with transaction.atomic():
        assert len(confirm_hold(hold_id=mine.pk)) == 2


@pytest.mark.parametrize("first", ["lazily", "job", "sweeper"])
def test_whichever_way_comes_first_ends_the_hold_and_counts_it_and_the_others_count_nothing(
    show_on_sale: Show, lapsed_hold: Hold, first: str
) -> None:
    ways: dict[str, Callable[[], object]] = {
        "lazily": partial(hold_seats, show_id=show_on_sale.pk, seat_ids=lapsed_hold.seat_ids),
        "job": partial(run_job_of, lapsed_hold),
        "sweeper": release_expired_holds,
    }
    with counting() as counted:
        ways.pop(first)()
        for way in ways.values():
            way()

    assert counted.expired == {first: 1}
    assert versions(lapsed_hold) == {4}  # held, freed, and held by the one who wanted them


@pytest.mark.parametrize("way", ["lazily", "job", "sweeper"])
def test_a_hold_that_did_not_lapse_or_was_given_back_is_counted_by_nobody(
    show_on_sale: Show, held_seats: Hold, way: str
) -> None:
    release_hold(token=held_seats.token)
    other = hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)
    ways: dict[str, Callable[[], object]] = {
        "lazily": partial(hold_seats, show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1")),
        "job": lambda: (run_job_of(held_seats), run_job_of(other)),
        "sweeper": release_expired_holds,
    }
    with counting() as counted:
        ways[way]()

    assert counted.expired == {}


def test_what_is_rolled_back_is_not_counted(show_on_sale: Show, lapsed_hold: Hold) -> None:
    with counting() as counted:
        with transaction.atomic():
            hold_seats(show_id=show_on_sale.pk, seat_ids=lapsed_hold.seat_ids)
            transaction.set_rollback(True)

    assert counted.expired == {}
    assert versions(lapsed_hold) == {2}


@pytest.mark.parametrize("seed", range(3))
def test_the_three_ways_at_once_end_each_hold_once_and_their_counts_add_up(show_on_sale: Show, seed: int) -> None:
    chance = Random(seed)
    ids = seat_ids(show_on_sale)
    chance.shuffle(ids)
    holds = [hold_seats(show_id=show_on_sale.pk, seat_ids=ids[i : i + 2]) for i in range(0, 32, 2)]
    let_lapse(*holds)
    attempts: list[Callable[[], object]] = [partial(run_job_of, hold) for hold in holds for _ in range(2)]
    attempts += [
        partial(hold_seats, show_id=show_on_sale.pk, seat_ids=chance.sample(ids, chance.randint(1, 3)))
        for _ in range(24)
    ]
    attempts += [partial(expire_holds, batch_size=chance.randint(1, 4)) for _ in range(6)]
    attempts += [partial(release_expired_holds, batch_size=3)] * 4
    chance.shuffle(attempts)

    with counting() as counted:
        outcomes = all_at_once(attempts, threads=16)
        # A sweep passes over what somebody else is busy with, so that he may be the one who fails.
        expire_holds()

    assert {type(outcome) for outcome in outcomes if isinstance(outcome, Exception)} <= {SeatsTaken}
    assert sum(counted.expired.values()) == len(holds), counted.expired
    for hold in Hold.objects.all():
        assert_whole(hold)
    assert {Hold.objects.get(pk=hold.pk).status for hold in holds} == {"expired"}
    # Held once, freed once, and perhaps held again: nothing came to a seat twice.
    again = {"held": 4, "available": 3}
    for seat in Seat.objects.filter(show=show_on_sale):
        assert seat.version == again[seat.status], seat


def test_a_hold_that_is_extended_is_ended_by_no_way_before_its_new_end(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    Hold.objects.update(expires_at=held_seats.expires_at + timedelta(minutes=5))
    clock.advance(HOLD_DURATION)

    assert not run_job_of(held_seats)
    assert release_expired_holds().expired == 0
    with pytest.raises(SeatsTaken):
        hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)
    with transaction.atomic():
        assert len(confirm_hold(hold_id=held_seats.pk)) == 2
