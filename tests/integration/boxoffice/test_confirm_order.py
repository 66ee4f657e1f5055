"""Confirming orders: one transaction, once, and PostgreSQL alone."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from statistics import median

import pytest
from django.db import transaction

from boxoffice import confirm_order as service
from boxoffice.confirm_order import confirm_order
from boxoffice.errors import OrderNotFound, OrderNotOpen, SeatsDiffer
from boxoffice.models import Order
from inventory.errors import HoldExpired, HoldNotActive
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat
from inventory.release_hold import release_hold
from jobs.models import Job
from tests.fixtures_boxoffice import jobs_about_orders, place, statements
from tests.fixtures_inventory import all_at_once, let_lapse
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def sold(hold: Hold) -> int:
    return Seat.objects.filter(hold=hold, status=Seat.Status.SOLD).count()


def test_a_confirmed_order_has_sold_seats_pending_tickets_and_one_job(placed_order: Order) -> None:
    order = confirm_order(order_id=placed_order.pk)

    assert order.status == Order.Status.CONFIRMED
    assert order.confirmed_at is not None
    order.refresh_from_db()
    assert order.status == Order.Status.CONFIRMED
    assert order.hold.status == Hold.Status.CONFIRMED
    assert sold(order.hold) == 2
    tickets = Ticket.objects.filter(order_id=order.pk)
    assert {(t.status, t.holder_name, t.order_code, t.language) for t in tickets} == {
        ("pending", "Ada Lovelace", order.code, "en")
    }
    assert sorted(t.seat_id for t in tickets) == order.hold.seat_ids
    job = jobs_about_orders().get()
    assert (job.task, job.subject, job.state) == ("tickets.issue_tickets", f"order:{order.code}", "waiting")


def test_the_job_carries_ids_and_no_personal_data(confirmed_order: Order) -> None:
    assert jobs_about_orders().get().args == {"order_id": confirmed_order.pk, "order_code": confirmed_order.code}


def test_a_second_call_returns_the_order_and_changes_and_enqueues_nothing(confirmed_order: Order) -> None:
    again = confirm_order(order_id=confirmed_order.pk)

    assert again.pk == confirmed_order.pk
    assert again.confirmed_at == confirmed_order.confirmed_at
    assert jobs_about_orders().count() == 1
    assert Ticket.objects.count() == 2


def test_the_confirmation_takes_five_queries_for_any_number_of_seats(make_hold: Callable[..., Hold]) -> None:
    for seats in (1, 4, 10):
        order = place(make_hold(seats=seats))
        with statements() as queries:
            confirm_order(order_id=order.pk)
        assert len(queries) == service.QUERIES_TO_CONFIRM, "\n".join(queries)


def test_a_second_call_takes_two_queries(confirmed_order: Order) -> None:
    with statements() as queries:
        confirm_order(order_id=confirmed_order.pk)
    assert len(queries) == 2, "\n".join(queries)


@pytest.mark.django_db(transaction=True)
def test_the_confirmation_touches_postgresql_only(placed_order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    """libpq has sockets of its own; whatever else a process talks to goes through Python's."""
    talked_to: list[object] = []
    connect = socket.socket.connect

    def note(self: socket.socket, address: object) -> None:
        talked_to.append(address)
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", note)
    confirm_order(order_id=placed_order.pk)

    assert talked_to == []


def test_a_hold_that_expired_cannot_be_confirmed_even_if_no_sweeper_ran(placed_order: Order) -> None:
    let_lapse(placed_order.hold)

    with pytest.raises(HoldExpired):
        confirm_order(order_id=placed_order.pk)

    placed_order.refresh_from_db()
    assert placed_order.status == Order.Status.PENDING_PAYMENT
    assert placed_order.confirmed_at is None
    assert sold(placed_order.hold) == 0
    assert not Ticket.objects.exists()
    assert not jobs_about_orders().exists()


def test_a_hold_that_the_sweeper_expired_cannot_be_confirmed(placed_order: Order) -> None:
    let_lapse(placed_order.hold)
    expire_holds()

    with pytest.raises(HoldExpired):
        confirm_order(order_id=placed_order.pk)
    assert not jobs_about_orders().exists()


def test_a_released_hold_cannot_be_confirmed(placed_order: Order) -> None:
    release_hold(token=placed_order.hold.token)

    with pytest.raises(HoldNotActive):
        confirm_order(order_id=placed_order.pk)
    placed_order.refresh_from_db()
    assert placed_order.status == Order.Status.PENDING_PAYMENT


def test_an_order_whose_seats_are_not_those_of_its_hold_is_rolled_back(placed_order: Order) -> None:
    placed_order.lines.all()[0].delete()

    with pytest.raises(SeatsDiffer):
        confirm_order(order_id=placed_order.pk)

    placed_order.refresh_from_db()
    assert placed_order.status == Order.Status.PENDING_PAYMENT
    assert sold(placed_order.hold) == 0
    assert not jobs_about_orders().exists()


@pytest.mark.parametrize("status", ["cancelled", "expired", "refunded"])
def test_a_closed_order_cannot_be_confirmed(placed_order: Order, status: str) -> None:
    Order.objects.update(status=status)

    with pytest.raises(OrderNotOpen):
        confirm_order(order_id=placed_order.pk)
    assert not jobs_about_orders().exists()


def test_an_unknown_order_cannot_be_confirmed(db: None) -> None:
    with pytest.raises(OrderNotFound):
        confirm_order(order_id=0)


@pytest.mark.django_db(transaction=True)
def test_a_confirmation_that_is_rolled_back_leaves_no_job_and_sells_nothing(placed_order: Order) -> None:
    def confirm_and_fail() -> None:
        with transaction.atomic():
            confirm_order(order_id=placed_order.pk)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        confirm_and_fail()

    placed_order.refresh_from_db()
    assert placed_order.status == Order.Status.PENDING_PAYMENT
    assert placed_order.hold.status == Hold.Status.ACTIVE
    assert sold(placed_order.hold) == 0
    assert not Ticket.objects.exists()
    assert not jobs_about_orders().exists()
    assert confirm_order(order_id=placed_order.pk).status == Order.Status.CONFIRMED


@pytest.mark.django_db(transaction=True)
def test_two_confirmations_at_once_sell_once_and_enqueue_once(make_hold: Callable[..., Hold]) -> None:
    for _ in range(10):
        order = place(make_hold(seats=3))
        results = all_at_once([partial(confirm_order, order_id=order.pk)] * 5, threads=5)

        assert {getattr(result, "status", result) for result in results} == {"confirmed"}
        assert Job.objects.filter(subject=order.subject).count() == 1
        assert Ticket.objects.filter(order_id=order.pk).count() == 3


@pytest.mark.django_db(transaction=True)
def test_confirming_and_expiring_at_once_gives_one_winner(make_hold: Callable[..., Hold]) -> None:
    """The hold lapses while both sides are on their way: sold to the fan, or free for the next one; never both."""
    winners = set()
    for delay_ms in (0, 1, 2, 4, 6, 8, 10, 12, 16, 20, 30, 50, 100, 300, 2_000):
        hold = make_hold(seats=2)
        order = place(hold)
        let_lapse(hold, ago=-timedelta(milliseconds=delay_ms))

        confirming = partial(confirm_order, order_id=order.pk)
        taking = partial(hold_seats, show_id=hold.show_id, seat_ids=hold.seat_ids)
        confirmed, *others = all_at_once([confirming, sweep_for_a_while, taking], threads=3)

        order.refresh_from_db()
        seats = Seat.objects.filter(pk__in=hold.seat_ids)
        if isinstance(confirmed, Order):
            winners.add("fan")
            assert {(s.status, s.hold_id) for s in seats} == {("sold", hold.pk)}, others
            assert Job.objects.filter(subject=order.subject).count() == 1
        else:
            winners.add("clock")
            assert isinstance(confirmed, HoldExpired), confirmed
            assert order.status == Order.Status.PENDING_PAYMENT
            assert not any(s.status == "sold" for s in seats)
            assert not Job.objects.filter(subject=order.subject).exists()
            assert not Ticket.objects.filter(order_id=order.pk).exists()
    assert winners == {"fan", "clock"}


@pytest.mark.django_db(transaction=True)
def test_confirming_and_releasing_at_once_gives_one_winner(make_hold: Callable[..., Hold]) -> None:
    for _ in range(10):
        hold = make_hold(seats=2)
        order = place(hold)
        confirming = partial(confirm_order, order_id=order.pk)
        confirmed, released = all_at_once([confirming, partial(release_hold, token=hold.token)], threads=2)
        if isinstance(confirmed, Order):
            assert isinstance(released, HoldNotActive)
            assert sold(hold) == 2
        else:
            assert isinstance(confirmed, HoldNotActive)
            assert released is True
            assert sold(hold) == 0


@pytest.mark.django_db(transaction=True)
def test_half_of_the_confirmations_take_at_most_50_ms_even_on_a_busy_machine(make_hold: Callable[..., Hold]) -> None:
    """The design asks for 10 ms; the benchmark measures that, and here a slip by an order of magnitude is caught."""
    took = []
    for _ in range(30):
        order = place(make_hold(seats=2))
        started = time.perf_counter()
        confirm_order(order_id=order.pk)
        took.append(1_000 * (time.perf_counter() - started))
    assert median(took) <= 50


def sweep_for_a_while() -> int:
    deadline = time.monotonic() + 0.1
    swept = 0
    while time.monotonic() < deadline:
        swept += expire_holds()
    return swept
