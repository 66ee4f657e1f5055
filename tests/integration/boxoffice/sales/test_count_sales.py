"""Takings: what is counted equals what the orders say, to the cent, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from django.db import connection, transaction

from boxoffice.changes.cancel_order import cancel_order
from boxoffice.changes.move_order import move_order
from boxoffice.changes.sell_by_staff import PaidBy
from boxoffice.models import (
    Order,
    OrderLine,
    Payment,
    SalesChange,
    SalesCount,
    SalesDay,
    Takings,
    TierSeats,
)
from boxoffice.payments import transitions as payments
from boxoffice.refunds.refund_order import refund_order
from boxoffice.sales.count_sales import count_sales
from boxoffice.sales.prove_takings import prove_takings
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from inventory.release_hold import release_hold
from jobs.errors import JobsError
from tests.books import PRICES, book_of, counted_of, sell_at_the_desk, sell_on_the_web
from tests.fixtures_boxoffice import place
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once, seat_ids
from tests.fixtures_refunds import WHO_AND_WHY

STEPS = 60


def sums(show: Show) -> tuple[int, int, int, int]:
    rows = counted_of(show).values()
    return tuple(sum(row[nth] for row in rows) for nth in range(4))  # type: ignore[return-value]


@pytest.mark.django_db
def test_a_sale_is_counted_by_tier_channel_and_way_of_paying_to_the_cent(
    dear_show: Show, count: Callable[[Show], None]
) -> None:
    sell_on_the_web(dear_show, "A-1", "B-1")
    sell_at_the_desk(dear_show, "A-2")
    sell_at_the_desk(dear_show, "A-3", paid_by=PaidBy.TERMINAL, channel="phone")
    sell_at_the_desk(dear_show, "A-4", paid_by=PaidBy.GIFT)
    count(dear_show)

    rows = Takings.objects.filter(show=dear_show).select_related("tier")
    assert {(row.tier.name, row.channel, row.method, row.complimentary, row.sold, row.gross) for row in rows} == {
        ("Front", "web", "online", False, 1, 4210),
        ("House", "web", "online", False, 1, 1205),
        ("Front", "counter", "cash", False, 1, 4210),
        ("Front", "phone", "terminal", False, 1, 4210),
        ("Front", "counter", "", True, 1, 0),
    }
    assert counted_of(dear_show) == book_of(dear_show)
    assert {(row.tier.name, row.total, row.sold, row.blocked) for row in TierSeats.objects.select_related("tier")} == {
        ("Front", 8, 4, 0),
        ("House", 24, 1, 0),
    }


@pytest.mark.django_db
def test_what_is_given_back_is_refunded_on_the_day_of_that_and_stays_sold_on_its_own(
    dear_show: Show, count: Callable[[Show], None], clock: Clock
) -> None:
    order = sell_at_the_desk(dear_show, "A-1", "A-2")
    clock.advance(timedelta(days=2))
    refund_order(order_id=order.pk, line_ids=[order.lines.earliest("pk").pk], **WHO_AND_WHY)
    count(dear_show)

    first, second = Takings.objects.order_by("day")
    assert (first.sold, first.gross, first.given_back, first.refunded) == (2, 8420, 0, 0)
    assert (second.sold, second.gross, second.given_back, second.refunded) == (0, 0, 1, 4210)
    assert (second.day - first.day).days == 2


@pytest.mark.django_db
def test_a_day_is_one_of_the_venue(dear_show: Show, count: Callable[[Show], None], clock: Clock) -> None:
    order = sell_at_the_desk(dear_show, "A-1")
    late = order.confirmed_at.replace(year=2026, month=7, day=1, hour=23, minute=30)  # type: ignore[union-attr]
    Order.objects.filter(pk=order.pk).update(confirmed_at=late)
    count(dear_show)
    assert [f"{row.day}" for row in Takings.objects.all()] == ["2026-07-02"]


@pytest.mark.django_db
def test_money_that_bought_nothing_is_no_taking(dear_show: Show, count: Callable[[Show], None]) -> None:
    order = place(hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "A-1")))
    payment = Payment.objects.create(order=order, amount=4210, currency="EUR", idempotency_key="late")
    payments.succeed(payment_id=payment.pk, provider_id="cs_late", intent_id="pi_late")
    Order.objects.filter(pk=order.pk).update(status="refunded")
    count(dear_show)
    assert counted_of(dear_show) == {}
    assert prove_takings().holds


@pytest.mark.django_db
def test_holds_are_counted_with_the_orders_that_came_of_them(dear_show: Show, count: Callable[[Show], None]) -> None:
    release_hold(token=hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "D-1")).token)
    place(hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "D-2")))
    sell_on_the_web(dear_show, "D-3")
    first = hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "D-4"))
    again = hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "D-5"))
    Hold.objects.filter(pk=again.pk).update(follows=first)
    count(dear_show)

    (day,) = SalesDay.objects.all()
    assert (day.holds, day.orders, day.paid) == (4, 2, 1)


@pytest.mark.django_db
def test_counting_again_writes_nothing_but_its_instant(dear_show: Show, count: Callable[[Show], None]) -> None:
    sell_on_the_web(dear_show, "A-1", "B-1")
    count(dear_show)
    with connection.cursor() as cursor:
        cursor.execute("SELECT ctid FROM boxoffice_takings ORDER BY id")
        before = cursor.fetchall()
        count(dear_show)
        cursor.execute("SELECT ctid FROM boxoffice_takings ORDER BY id")
        assert cursor.fetchall() == before
    assert SalesCount.objects.get().version == 2


@pytest.mark.django_db(transaction=True)
def test_many_who_sell_and_count_at_once_end_equal_to_the_orders(dear_show: Show) -> None:
    def sell_and_count(guid: str) -> None:
        sell_at_the_desk(dear_show, guid)
        with transaction.atomic():
            count_sales(show_id=dear_show.pk)

    guids = [f"{row}-{number}" for row in "ABCD" for number in range(1, 5)]
    outcomes = all_at_once([partial(sell_and_count, guid) for guid in guids], threads=8)
    assert outcomes == [None] * len(guids)
    with transaction.atomic():
        count_sales(show_id=dear_show.pk)
    assert counted_of(dear_show) == book_of(dear_show)
    assert sums(dear_show)[0] == 16


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(3))
def test_after_any_sequence_the_takings_are_those_of_the_orders(
    make_show: Callable[..., Show], clock: Clock, seed: int
) -> None:
    random = Random(seed)
    shows = [make_show(f"Show {nth}", prices=PRICES, currency=("EUR", "USD")[nth]) for nth in range(2)]
    trail: list[str] = []
    for _ in range(STEPS):
        do = random.choice([_sell, _sell, _sell, _refund, _cancel, _move, _count, _wait])
        trail.append(f"{do.__name__}: {do(random, shows, clock)}")
    # Equal, but for the shows that wait to be counted, which the marks tell.
    marked = set(SalesChange.objects.values_list("show_id", flat=True))
    for show in shows:
        assert show.pk in marked or counted_of(show) == book_of(show), "\n".join(trail)
        _count(random, [show], clock)
        assert counted_of(show) == book_of(show), "\n".join(trail)
    proof = prove_takings()
    assert proof.holds, "\n".join(trail)
    assert not SalesChange.objects.exists()


def _sell(random: Random, shows: list[Show], clock: Clock) -> object:
    show = random.choice(shows)
    free = list(Seat.objects.filter(show=show, status="available").order_by("position").values_list("guid", flat=True))
    if len(free) < 3:
        return "full"
    guids = random.sample(free, random.randint(1, 3))
    with transaction.atomic():
        way = random.choice(["web", *PaidBy])
        if way == "web":
            return sell_on_the_web(show, *guids).pk
        return sell_at_the_desk(show, *guids, paid_by=PaidBy(way), channel=random.choice(["counter", "phone"])).pk


def _some_order(random: Random) -> Order | None:
    orders = list(Order.objects.filter(status__in=("confirmed", "partly_refunded")).order_by("pk"))
    return random.choice(orders) if orders else None


def _refund(random: Random, shows: list[Show], clock: Clock) -> object:
    order = _some_order(random)
    if order is None:
        return None
    left = list(order.lines.filter(refunded_at=None).order_by("pk").values_list("pk", flat=True))
    chosen = random.sample(left, random.randint(1, len(left)))
    return len(refund_order(order_id=order.pk, line_ids=chosen, **WHO_AND_WHY).lines)


def _cancel(random: Random, shows: list[Show], clock: Clock) -> object:
    order = _some_order(random)
    return order and cancel_order(order_id=order.pk, **WHO_AND_WHY).order.status


def _move(random: Random, shows: list[Show], clock: Clock) -> object:
    order = _some_order(random)
    if order is None:
        return None
    line: OrderLine = random.choice(list(order.lines.filter(refunded_at=None).select_related("seat").order_by("pk")))
    free = Seat.objects.filter(show=order.show_id, status="available").order_by("position")
    wanted = list(free.values_list("pk", flat=True))
    try:
        with transaction.atomic():
            move_order(
                order_id=order.pk,
                line_ids=[line.pk],
                from_ids=[line.seat_id],
                to_ids=[random.choice(wanted)],
                **WHO_AND_WHY,
            )
    except (JobsError, IndexError) as error:
        return type(error).__name__
    return order.pk


def _count(random: Random, shows: list[Show], clock: Clock) -> object:
    show = random.choice(shows)
    with transaction.atomic():
        return count_sales(show_id=show.pk)


def _wait(random: Random, shows: list[Show], clock: Clock) -> object:
    by = timedelta(hours=random.choice((1, 5, 11)))
    clock.advance(by)
    return by
