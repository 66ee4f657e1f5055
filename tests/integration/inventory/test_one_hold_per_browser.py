"""A browser has one hold of a show: another choice takes its place, and a form sent twice changes nothing."""

from __future__ import annotations

from functools import partial
from random import Random
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from inventory.errors import HoldIsBought, SeatsTaken
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.hold_transitions import begin_order
from inventory.models import Hold, PriceTier, Seat, Show
from tests.expired_holds import assert_whole, real_commits
from tests.fixtures_boxoffice import statements
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids, statuses


def choose(show: Show, browser: UUID, *guids: str) -> Hold:
    return hold_seats(show_id=show.pk, seat_ids=seat_ids(show, *guids), holder=browser)


def held(show: Show) -> set[str]:
    return {guid for guid, status in statuses(show).items() if status == "held"}


@pytest.mark.django_db
def test_another_choice_takes_the_place_of_the_first_and_may_take_seats_of_it_along(show_on_sale: Show) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1", "A-2")
    second = choose(show_on_sale, browser, "A-2", "A-3")

    first.refresh_from_db()
    assert (first.status, second.follows_id) == ("released", first.pk)
    assert held(show_on_sale) == {"A-2", "A-3"}
    assert_whole(second)


@pytest.mark.django_db
def test_the_first_choice_stays_when_the_second_is_not_to_be_had(show_on_sale: Show) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1", "A-2")
    choose(show_on_sale, uuid4(), "A-3")
    with pytest.raises(SeatsTaken) as refusal:
        choose(show_on_sale, browser, "A-2", "A-3")
    assert refusal.value.labels == ("Stalls, row A, seat 3",)
    first.refresh_from_db()
    assert first.status == "active"
    assert_whole(first)


@pytest.mark.django_db
def test_the_same_choice_once_more_is_the_same_hold(show_on_sale: Show) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1", "A-2")
    assert choose(show_on_sale, browser, "A-2", "A-1").pk == first.pk
    with pytest.raises(SeatsTaken):
        choose(show_on_sale, uuid4(), "A-1", "A-2")


@pytest.mark.django_db
def test_a_choice_by_which_somebody_buys_is_not_replaced(show_on_sale: Show) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1")
    with transaction.atomic():
        begin_order(token=first.token)
    with pytest.raises(HoldIsBought) as refusal:
        choose(show_on_sale, browser, "B-1")
    assert refusal.value.status_code == 409
    assert held(show_on_sale) == {"A-1"}

    let_lapse(first)
    assert choose(show_on_sale, browser, "B-1")
    first.refresh_from_db()
    assert first.status == "expired"


@pytest.mark.django_db
def test_a_browser_whose_hold_has_lapsed_or_is_of_another_show_takes_seats_as_any_other(
    show_on_sale: Show, other_show: Show
) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1")
    elsewhere = choose(other_show, browser, "A-1")
    let_lapse(first)
    choose(show_on_sale, browser, "B-1")
    first.refresh_from_db()
    elsewhere.refresh_from_db()
    assert (first.status, elsewhere.status) == ("expired", "active")
    assert held(show_on_sale) == {"B-1"}


@pytest.mark.django_db
def test_the_best_seats_take_the_place_of_a_choice_too(show_on_sale: Show) -> None:
    browser = uuid4()
    first = choose(show_on_sale, browser, "A-1")
    house = PriceTier.objects.get(show=show_on_sale, name="House")
    second = hold_best_seats(show_id=show_on_sale.pk, tier_id=house.pk, count=2, holder=browser)
    first.refresh_from_db()
    assert (first.status, second.follows_id) == ("released", first.pk)
    assert len(held(show_on_sale)) == 2


@pytest.mark.django_db
def test_to_know_the_browser_costs_a_first_choice_no_statement(show_on_sale: Show) -> None:
    chosen = seat_ids(show_on_sale, "A-1", "A-2")
    with statements() as seen:
        hold_seats(show_id=show_on_sale.pk, seat_ids=chosen, holder=uuid4())
    assert len(seen) == 7, "\n".join(seen)


@real_commits
def test_forms_that_one_browser_sends_at_once_leave_it_one_hold(show_on_sale: Show) -> None:
    for _ in range(3):
        browser, seats = uuid4(), seat_ids(show_on_sale)
        chosen = [seats[start : start + 10] for start in (0, 10, 20)]
        forms = [partial(hold_seats, show_id=show_on_sale.pk, seat_ids=some, holder=browser) for some in chosen]
        outcomes = all_at_once(forms, threads=3)

        assert all(isinstance(outcome, Hold) for outcome in outcomes), outcomes
        (left,) = Hold.objects.filter(status="active")
        assert_whole(left)
        assert len(held(show_on_sale)) == 10
        let_lapse(left)


@real_commits
def test_one_form_that_is_sent_many_times_at_once_makes_one_hold(show_on_sale: Show) -> None:
    for seat in seat_ids(show_on_sale)[:5]:
        form = partial(hold_seats, show_id=show_on_sale.pk, seat_ids=[seat], holder=uuid4())
        outcomes = all_at_once([form] * 4, threads=4)
        assert len({getattr(outcome, "pk", outcome) for outcome in outcomes}) == 1, outcomes


@real_commits
@pytest.mark.parametrize("seed", range(2))
def test_browsers_that_change_their_minds_over_the_same_seats_never_share_one_nor_block_each_other(
    show_on_sale: Show, seed: int
) -> None:
    chance = Random(seed)
    few = seat_ids(show_on_sale)[:14]
    browsers = [uuid4() for _ in range(6)]
    attempts = [
        partial(
            hold_seats,
            show_id=show_on_sale.pk,
            seat_ids=chance.sample(few, chance.randint(1, 4)),
            holder=chance.choice(browsers),
        )
        for _ in range(90)
    ]
    outcomes = all_at_once(attempts, threads=12)
    assert {type(outcome) for outcome in outcomes} <= {Hold, SeatsTaken}
    active = list(Hold.objects.filter(status="active"))
    for hold in active:
        assert_whole(hold)
    assert len({hold.holder for hold in active}) == len(active)
    assert Seat.objects.filter(status="held").count() == sum(len(hold.seat_ids) for hold in active)
