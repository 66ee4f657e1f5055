"""How many tickets of a show one address gets, over all of its orders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from boxoffice.confirm_order import confirm_order
from boxoffice.errors import TooManyTickets
from boxoffice.models import Order, OrderLine, Payment
from boxoffice.tickets_per_buyer import MAX_TICKETS_PER_BUYER
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Show
from inventory.release_hold import release_hold
from jobs.clock import database_now
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def hold_of(show_on_sale: Show) -> Callable[[int], Hold]:
    """Holds so many more seats of the show, which has 32."""
    seats = iter(seat_ids(show_on_sale))

    def take(count: int) -> Hold:
        return hold_seats(show_id=show_on_sale.pk, seat_ids=[next(seats) for _ in range(count)])

    return take


def test_orders_of_one_address_are_counted_together_whatever_its_capitals(hold_of: Callable[[int], Hold]) -> None:
    confirm_order(order_id=place(hold_of(10)).pk)
    place(hold_of(9), email="Ada@example.org")
    last = hold_of(2)
    with pytest.raises(TooManyTickets) as refusal:
        place(last, email="ADA@EXAMPLE.ORG")
    assert set(refusal.value.fields) == {"email"}
    last.refresh_from_db()
    assert (Order.objects.count(), last.ordered_at) == (2, None)

    assert place(hold_of(1))
    assert place(last, email="somebody@example.org")


def test_a_domain_and_its_ascii_form_are_one_buyer(hold_of: Callable[[int], Hold]) -> None:
    place(hold_of(10), email="ada@bücher.example")
    place(hold_of(10), email="ada@XN--bcher-kva.example")
    with pytest.raises(TooManyTickets):
        place(hold_of(1), email="ada@bücher.example")


def test_what_was_given_back_or_never_paid_does_not_count(hold_of: Callable[[int], Hold]) -> None:
    for ended in (place(hold_of(10)), place(hold_of(10))):
        let_lapse(ended.hold)
    sold = confirm_order(order_id=place(hold_of(2)).pk)
    OrderLine.objects.filter(order=sold).update(refunded_at=database_now())

    assert place(hold_of(10))


def test_what_was_given_back_counts_while_its_payment_page_is_open(hold_of: Callable[[int], Hold]) -> None:
    """Else one would open page after page, pay them all at last, and get the seats again, as late money does."""
    for order in (place(hold_of(10)), place(hold_of(10))):
        Payment.objects.create(
            order=order, amount=1, currency=order.currency, idempotency_key=order.code, provider_id=order.code
        )
        release_hold(token=order.hold.token)
    third = hold_of(1)
    with pytest.raises(TooManyTickets):
        place(third)

    Payment.objects.update(status=Payment.Status.EXPIRED, settled_at=database_now())
    assert place(third)


def test_another_show_has_a_limit_of_its_own(hold_of: Callable[[int], Hold], make_hold: Callable[..., Hold]) -> None:
    place(hold_of(10))
    place(hold_of(10))
    assert place(make_hold(seats=10))


def test_an_order_placed_again_does_not_count_itself(hold_of: Callable[[int], Hold]) -> None:
    place(hold_of(10))
    hold = hold_of(10)
    assert place(hold).pk == place(hold, name="Ada King").pk


def test_a_correction_of_the_address_does_not_pass_the_limit_either(hold_of: Callable[[int], Hold]) -> None:
    place(hold_of(10))
    place(hold_of(10))
    hold = hold_of(1)
    order = place(hold, email="bob@example.org")
    with pytest.raises(TooManyTickets):
        place(hold, email="ada@example.org")
    order.refresh_from_db()
    assert order.email == "bob@example.org"


@pytest.mark.django_db(transaction=True)
def test_orders_that_are_placed_at_once_do_not_pass_the_limit_together(hold_of: Callable[[int], Hold]) -> None:
    holds = [hold_of(count) for count in (10, 7, 6, 4, 3)]
    outcomes = all_at_once([partial(place, hold) for hold in holds], threads=5)
    assert {type(outcome) for outcome in outcomes} == {Order, TooManyTickets}
    assert OrderLine.objects.count() <= MAX_TICKETS_PER_BUYER
