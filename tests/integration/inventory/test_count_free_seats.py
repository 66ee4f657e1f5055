"""The counts of free seats that the list shows: right in the end, whatever dies, and nobody waits for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import TestCase

from inventory import transitions
from inventory.ask_for_count import count_what_was_left
from inventory.confirm_hold import confirm_hold
from inventory.count_free_seats import count_free_seats
from inventory.expire_hold import expire_hold
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_seats
from inventory.models import Availability, Hold, Seat, SeatChange, Show
from inventory.release_hold import release_hold
from inventory.selectors import show_by_slug
from jobs import gates
from jobs import transitions as ledger
from jobs.models import Job
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids

COUNTS = "inventory.count_free_seats"


def counted(show: Show) -> int:
    return Availability.objects.get(pk=show.pk).free


def waiting_counts() -> list[Job]:
    return list(Job.objects.filter(task=COUNTS, state__in=("waiting", "published")))


@pytest.fixture
def run_counts(work: Callable[[int], Outcome], clock: Clock) -> Callable[[], int]:
    """Let the counts that wait run, a moment later; returns how many did."""

    def _run() -> int:
        clock.advance(timedelta(seconds=2))
        gates.open_later(using="default")
        Job.objects.exclude(task=COUNTS).delete()
        messages = ledger.mark_due(using="default", queue="default", window=1000, batch=1000).messages
        return [work(message.job_id) for message in messages].count(Outcome.SETTLED)

    return _run


@pytest.mark.django_db
def test_a_new_show_is_counted_from_its_first_moment(make_show: Callable[..., Show]) -> None:
    row = Availability.objects.get(pk=make_show(prices={"Front": 2500, "House": 1200}).pk)
    assert (row.free, row.total, row.price_from, row.version) == (32, 32, 1200, 1)


@pytest.mark.django_db
def test_the_cheapest_price_is_that_of_a_free_seat(make_show: Callable[..., Show]) -> None:
    show = make_show(prices={"Front": 2500, "House": 1200})
    Seat.objects.filter(show=show, tier__name="House").update(status="blocked")
    count_free_seats(show_id=show.pk)
    row = Availability.objects.get(pk=show.pk)
    assert (row.free, row.total, row.price_from, row.version) == (8, 32, 2500, 2)


def release(hold: Hold) -> None:
    release_hold(token=hold.token)


def end_by_job(hold: Hold) -> None:
    let_lapse(hold)
    with transaction.atomic():
        assert expire_hold(hold_id=hold.pk)


def end_by_sweep(hold: Hold) -> None:
    let_lapse(hold)
    assert expire_holds() == 1


def end_lazily(hold: Hold) -> None:
    let_lapse(hold)
    release(hold_seats(show_id=hold.show_id, seat_ids=hold.seat_ids[:1]))


@pytest.mark.django_db
@pytest.mark.parametrize("ends", [release, end_by_job, end_by_sweep, end_lazily])
def test_however_seats_come_back_a_count_is_asked_for_and_has_them(
    show_on_sale: Show, ends: Callable[[Hold], None]
) -> None:
    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "A-2"))
    count_free_seats(show_id=show_on_sale.pk)
    assert counted(show_on_sale) == 30

    with TestCase.captureOnCommitCallbacks(execute=True):
        ends(hold)

    assert [job.args for job in waiting_counts()] == [{"show_id": show_on_sale.pk}]
    assert count_free_seats(show_id=show_on_sale.pk) is not None
    assert counted(show_on_sale) == 32
    assert not SeatChange.objects.exists()


@pytest.mark.django_db
def test_a_sale_changes_no_count_and_asks_for_none(show_on_sale: Show, held_seats: Hold) -> None:
    count_free_seats(show_id=show_on_sale.pk)
    with TestCase.captureOnCommitCallbacks(execute=True) as asked, transaction.atomic():
        confirm_hold(hold_id=held_seats.pk)
    assert asked == []
    assert count_free_seats(show_id=show_on_sale.pk) is None
    assert counted(show_on_sale) == 30


def test_every_statement_by_which_seats_become_free_or_cease_to_be_marks_its_shows() -> None:
    statements = {name: sql for name, sql in vars(transitions).items() if isinstance(sql, str) and name.isupper()}
    changing = {name for name, sql in statements.items() if re.search(r"UPDATE\s+inventory_seat\b", sql)}
    marking = {name for name, sql in statements.items() if "inventory_seatchange" in sql} - {"MARK_SHOWS"}
    assert {"TAKE_SEATS", "FREE_SEATS"} <= marking
    assert changing - marking == {"SELL_SEATS"}, "what is sold was not free before; anything else leaves a mark"


@pytest.mark.django_db
def test_a_burst_of_changes_leaves_one_job_and_costs_each_but_the_first_one_query(
    show_on_sale: Show, django_assert_num_queries: Callable[..., object]
) -> None:
    for row in "ABCD":
        with TestCase.captureOnCommitCallbacks() as asked:
            hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, f"{row}-1"))
        if row == "A":
            asked[0]()
        else:
            with django_assert_num_queries(1):  # type: ignore[attr-defined]
                asked[0]()
    assert len(waiting_counts()) == 1


@pytest.mark.django_db
def test_what_was_rolled_back_asks_for_nothing(show_on_sale: Show) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1"))
        transaction.set_rollback(True)
    assert waiting_counts() == []
    assert not SeatChange.objects.exists()


@pytest.mark.django_db
def test_a_change_whose_process_died_before_it_could_ask_is_found(show_on_sale: Show, clock: Clock) -> None:
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1"))  # its commit never comes in this test
    assert count_what_was_left() == 0  # it may still be at it
    clock.advance(timedelta(seconds=6))
    assert [count_what_was_left(), count_what_was_left()] == [1, 0]
    assert len(waiting_counts()) == 1


@pytest.mark.django_db
def test_shows_that_were_never_counted_or_not_for_a_day_are_counted(
    show_on_sale: Show, other_show: Show, clock: Clock
) -> None:
    Availability.objects.filter(show=other_show).delete()
    assert count_what_was_left() == 1
    clock.advance(timedelta(days=1, minutes=1))
    assert count_what_was_left() == 1
    assert {job.args["show_id"] for job in waiting_counts()} == {show_on_sale.pk, other_show.pk}


@pytest.mark.django_db
def test_a_show_that_is_gone_is_no_error(db: None) -> None:
    SeatChange.objects.create(show_id=987_654_321)
    assert count_free_seats(show_id=987_654_321) is None
    assert not SeatChange.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_fans_of_one_show_do_not_wait_for_each_others_commit(show_on_sale: Show) -> None:
    a1, b1 = seat_ids(show_on_sale, "A-1", "B-1")

    def hold_with_little_patience() -> Hold:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        return hold_seats(show_id=show_on_sale.pk, seat_ids=[b1])

    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "C-1"))  # a count waits already
    with transaction.atomic():
        hold_seats(show_id=show_on_sale.pk, seat_ids=[a1])
        (outcome,) = all_at_once([hold_with_little_patience], threads=1)
    assert isinstance(outcome, Hold)


@pytest.mark.django_db(transaction=True)
def test_a_change_that_commits_after_the_count_has_looked_is_counted_by_another(
    show_on_sale: Show, run_counts: Callable[[], int]
) -> None:
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1"))
    assert len(waiting_counts()) == 1

    with transaction.atomic():
        hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-2"))
        # Elsewhere the count that waits comes first, and cannot see the second hold.
        (ran,) = all_at_once([lambda: count_in_a_transaction(show_on_sale)], threads=1)
        assert ran == 31
        Job.objects.filter(task=COUNTS).update(state="done")

    assert SeatChange.objects.filter(show_id=show_on_sale.pk).count() == 1
    assert len(waiting_counts()) == 1
    assert run_counts() == 1
    assert counted(show_on_sale) == 30
    assert waiting_counts() == []


def count_in_a_transaction(show: Show) -> int:
    with transaction.atomic():
        count_free_seats(show_id=show.pk)
    return counted(show)


@pytest.mark.django_db(transaction=True)
def test_fans_and_counts_in_any_order_end_with_the_right_count(show_on_sale: Show, other_show: Show) -> None:
    shows = (show_on_sale, other_show)

    def hold(show: Show, seat: int) -> Callable[[], object]:
        return lambda: hold_seats(show_id=show.pk, seat_ids=[seat])

    def hold_and_release(show: Show, seat: int) -> Callable[[], object]:
        return lambda: release_hold(token=hold_seats(show_id=show.pk, seat_ids=[seat]).token)

    calls: list[Callable[[], object]] = []
    for show in shows:
        ids = seat_ids(show)
        calls += [hold(show, seat) for seat in ids[:20]] + [hold_and_release(show, seat) for seat in ids[20:]]
        calls += [lambda show=show: count_in_a_transaction(show) for _ in range(10)]
    outcomes = all_at_once(sorted(calls, key=lambda call: hash(call) % 97), threads=8)

    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    for show in shows:
        if SeatChange.objects.filter(show_id=show.pk).exists():
            assert [job.args for job in waiting_counts() if job.args["show_id"] == show.pk], "nothing is forgotten"
            count_in_a_transaction(show)
        assert counted(show) == show_by_slug(slug=show.slug).seats_free == 12
