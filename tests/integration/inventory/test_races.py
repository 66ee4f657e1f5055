"""Two fans never get one seat: real threads on real connections that start together.

Ordinary tests run in a transaction that only they see, so these use ``transactional_db``: the rows are committed, and
threads meet at the locks of PostgreSQL. A deadlock would surface as an error of the database in the outcomes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from random import Random

import pytest
from django.db import connection, transaction

from inventory.confirm_hold import confirm_hold
from inventory.errors import HoldExpired, HoldNotActive, NotEnoughSeats, NotOnSale, SeatsTaken
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from inventory.transitions import advance_show
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 24


def confirm(hold_id: int) -> list[Seat]:
    with transaction.atomic():
        return confirm_hold(hold_id=hold_id)


def assert_every_seat_has_one_owner(show: Show, expected: list[Hold]) -> None:
    """Each hold has exactly the seats that it promised, and no seat is held by anybody else."""
    promised = Counter(seat for hold in expected for seat in hold.seat_ids)
    assert set(promised.values()) <= {1}, "a seat was given away twice"
    held = dict(Seat.objects.filter(show=show, status="held").values_list("pk", "hold_id"))
    assert held == {seat: hold.pk for hold in expected for seat in hold.seat_ids}
    assert set(Hold.objects.filter(status="active").values_list("pk", flat=True)) == {h.pk for h in expected}


def sorted_out(outcomes: list[Hold | Exception]) -> tuple[list[Hold], list[Exception]]:
    holds = [outcome for outcome in outcomes if isinstance(outcome, Hold)]
    return holds, [outcome for outcome in outcomes if not isinstance(outcome, Hold)]


@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_attempts_on_few_seats_give_each_seat_away_once(show_on_sale: Show, seed: int) -> None:
    chance = Random(seed)
    few = seat_ids(show_on_sale)[:12]
    # Overlapping sets in any order: the worst case for locks.
    attempts = [
        partial(hold_seats, show_id=show_on_sale.pk, seat_ids=chance.sample(few, chance.randint(1, 4)))
        for _ in range(200)
    ]

    holds, refusals = sorted_out(all_at_once(attempts, threads=THREADS))

    assert {type(refusal) for refusal in refusals} <= {SeatsTaken}
    assert len(holds) + len(refusals) == 200
    assert_every_seat_has_one_owner(show_on_sale, holds)


@pytest.mark.parametrize("seed", range(3))
def test_seats_of_lapsed_holds_are_given_away_once_however_they_overlap(show_on_sale: Show, seed: int) -> None:
    chance = Random(seed)
    few = seat_ids(show_on_sale)[:16]
    chance.shuffle(few)
    lapsed = [hold_seats(show_id=show_on_sale.pk, seat_ids=few[i : i + 4]) for i in range(0, 16, 4)]
    let_lapse(*lapsed)
    attempts: list[Callable[[], object]] = [
        partial(hold_seats, show_id=show_on_sale.pk, seat_ids=chance.sample(few, chance.randint(1, 4)))
        for _ in range(100)
    ]
    attempts[::10] = [partial(expire_holds, batch_size=1)] * 10

    outcomes = all_at_once(attempts, threads=THREADS)

    holds = [outcome for outcome in outcomes if isinstance(outcome, Hold)]
    errors = {type(outcome) for outcome in outcomes if isinstance(outcome, Exception)}
    assert errors <= {SeatsTaken}
    expire_holds()
    assert_every_seat_has_one_owner(show_on_sale, holds)


def test_the_best_seats_go_to_as_many_fans_as_there_are_seats(show_on_sale: Show) -> None:
    house = PriceTier.objects.get(show=show_on_sale, name="House")
    attempts = [partial(hold_best_seats, show_id=show_on_sale.pk, tier_id=house.pk, count=2)] * 60

    holds, refusals = sorted_out(all_at_once(attempts, threads=THREADS))

    # 24 seats: nobody is refused while there are two left, though all of them want the same ones first.
    assert len(holds) == 12
    assert {type(refusal) for refusal in refusals} == {NotEnoughSeats}
    assert_every_seat_has_one_owner(show_on_sale, holds)


def test_the_best_seats_of_lapsed_holds_go_to_as_many_fans_as_there_are_seats(show_on_sale: Show) -> None:
    house = PriceTier.objects.get(show=show_on_sale, name="House")
    ids = list(Seat.objects.filter(tier=house).order_by("?").values_list("pk", flat=True))
    let_lapse(*(hold_seats(show_id=show_on_sale.pk, seat_ids=ids[i : i + 3]) for i in range(0, 24, 3)))
    attempts = [partial(hold_best_seats, show_id=show_on_sale.pk, tier_id=house.pk, count=2)] * 48

    holds, refusals = sorted_out(all_at_once(attempts, threads=THREADS))

    assert len(holds) == 12
    assert {type(refusal) for refusal in refusals} == {NotEnoughSeats}
    assert_every_seat_has_one_owner(show_on_sale, holds)


def test_chosen_and_best_seats_mixed_never_meet(show_on_sale: Show) -> None:
    chance = Random(7)
    everything = seat_ids(show_on_sale)
    tiers = list(show_on_sale.tiers.values_list("pk", flat=True))
    attempts = [
        partial(hold_seats, show_id=show_on_sale.pk, seat_ids=chance.sample(everything, chance.randint(1, 3)))
        if chance.random() < 0.5
        else partial(
            hold_best_seats,
            show_id=show_on_sale.pk,
            tier_id=chance.choice(tiers),
            count=chance.randint(1, 3),
        )
        for _ in range(120)
    ]

    holds, refusals = sorted_out(all_at_once(attempts, threads=THREADS))

    assert {type(refusal) for refusal in refusals} <= {SeatsTaken, NotEnoughSeats}
    assert_every_seat_has_one_owner(show_on_sale, holds)


def test_a_hold_is_confirmed_once_though_many_confirm_it(show_on_sale: Show, held_seats: Hold) -> None:
    outcomes = all_at_once([partial(confirm, held_seats.pk)] * 16, threads=16)

    sold = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
    assert len(sold) == 1
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, Exception)} == {HoldNotActive}
    assert {seat.version for seat in held_seats.seats.all()} == {3}


@pytest.mark.parametrize("round_", range(5))
def test_confirming_releasing_taking_and_sweeping_at_once_leave_one_owner(show_on_sale: Show, round_: int) -> None:
    """Each hold ends in exactly one way, and its seats are sold only where it was confirmed."""
    chance = Random(round_)
    ids = seat_ids(show_on_sale)
    holds = [hold_seats(show_id=show_on_sale.pk, seat_ids=ids[i : i + 3]) for i in range(0, 30, 3)]
    let_lapse(*holds[::2])
    attempts: list[Callable[[], object]] = []
    for hold in holds:
        attempts += [
            partial(confirm, hold.pk),
            partial(release_hold, token=hold.token),
            partial(hold_seats, show_id=show_on_sale.pk, seat_ids=chance.sample(ids, 3)),
            partial(expire_holds, batch_size=2),
        ]
    chance.shuffle(attempts)

    outcomes = all_at_once(attempts, threads=20)

    refusals = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {type(refusal) for refusal in refusals} <= {SeatsTaken, HoldExpired, HoldNotActive}
    for hold in Hold.objects.all():
        seats = set(hold.seats.values_list("pk", "status"))
        match hold.status:
            case "confirmed":
                assert seats == {(seat, "sold") for seat in hold.seat_ids}
                assert hold.pk not in {lapsed.pk for lapsed in holds[::2]}
            case "active":
                assert seats == {(seat, "held") for seat in hold.seat_ids}
            case _:
                assert not seats


def test_no_hold_starts_after_a_show_is_cancelled(show_on_sale: Show) -> None:
    """Whoever cancels next reads the holds to undo; one that slipped in behind its back would be forgotten."""
    everything = seat_ids(show_on_sale)

    def cancel() -> set[int]:
        with transaction.atomic():
            assert advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
            return set(Hold.objects.values_list("pk", flat=True))

    attempts: list[Callable[[], object]] = [
        partial(hold_seats, show_id=show_on_sale.pk, seat_ids=[seat]) for seat in everything
    ]
    attempts.insert(12, cancel)
    outcomes = all_at_once(attempts, threads=11)

    (seen,) = [outcome for outcome in outcomes if isinstance(outcome, set)]
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {type(refusal) for refusal in refusals} <= {NotOnSale}
    assert seen == set(Hold.objects.values_list("pk", flat=True))


def test_fans_who_choose_different_seats_do_not_wait_for_each_other(show_on_sale: Show) -> None:
    first, second = seat_ids(show_on_sale, "A-1", "A-2")
    with transaction.atomic():
        hold_seats(show_id=show_on_sale.pk, seat_ids=[first])
        (outcome,) = all_at_once([partial(_hold_without_waiting, show_on_sale.pk, [second])], threads=1)

    assert isinstance(outcome, Hold)


def test_a_fan_who_asks_for_the_best_does_not_wait_for_one_who_is_taking_them(show_on_sale: Show) -> None:
    house = PriceTier.objects.get(show=show_on_sale, name="House")
    with transaction.atomic():
        best = hold_best_seats(show_id=show_on_sale.pk, tier_id=house.pk, count=2)
        (outcome,) = all_at_once([partial(_best_without_waiting, show_on_sale.pk, house.pk)], threads=1)

    assert isinstance(outcome, Hold)
    assert not set(outcome.seat_ids) & set(best.seat_ids)


def _without_waiting() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '2s'")


def _hold_without_waiting(show_id: int, chosen: list[int]) -> Hold:
    _without_waiting()
    return hold_seats(show_id=show_id, seat_ids=chosen)


def _best_without_waiting(show_id: int, tier_id: int) -> Hold:
    _without_waiting()
    return hold_best_seats(show_id=show_id, tier_id=tier_id, count=2)


@pytest.mark.parametrize("way", ["chosen", "best"])
def test_seats_that_are_given_back_while_somebody_waits_for_them_are_his(show_on_sale: Show, way: str) -> None:
    """All seats of the tier are taken by a transaction that fails: nobody may be told that they are gone."""
    front = PriceTier.objects.get(show=show_on_sale, name="Front")
    everything = list(front.seats.order_by("position").values_list("pk", flat=True))
    ways = {
        "chosen": partial(hold_seats, show_id=show_on_sale.pk, seat_ids=everything[:2]),
        "best": partial(hold_best_seats, show_id=show_on_sale.pk, tier_id=front.pk, count=2),
    }
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hold_seats(show_id=show_on_sale.pk, seat_ids=everything)
            waiting = pool.submit(_with_own_connection, ways[way])
            _wait_until_it_waits_for_a_lock(waiting)
            transaction.set_rollback(True)
        hold = waiting.result(timeout=30)

    assert_every_seat_has_one_owner(show_on_sale, [hold])


def _with_own_connection(call: Callable[[], Hold]) -> Hold:
    try:
        return call()
    finally:
        connection.close()


def _wait_until_it_waits_for_a_lock(call: Future[Hold]) -> None:
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            if call.done():
                raise AssertionError("It did not wait.") from call.exception()
            # Not by pg_stat_activity, whose first look counts for the whole transaction.
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone()[0]:
                return
    raise AssertionError("Nobody waits.")
