"""More time for a fan who pays: the provider's session lasts as long as the hold."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.confirm_order import confirm_with_other_hold
from boxoffice.models import Order, Payment, Refund
from boxoffice.payments import provider
from boxoffice.payments.settle_payment import settle_payment
from boxoffice.payments.start_payment import SESSION_LASTS, start_payment
from inventory.expire_holds import expire_holds
from inventory.extend_hold import EXTENSION, extend_hold
from inventory.models import Hold, Show
from inventory.release_hold import release_hold
from inventory.take_seats import HOLD_DURATION
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import seat_ids
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.processes import wait_for
from tests.waiting_sessions import run_and_close, somebody_waits_for_us

pytestmark = pytest.mark.django_db


def session_of(payment: Payment) -> str:
    return provider.retrieve_session(session_id=payment.provider_id).state


def test_no_hold_outlasts_the_session_that_is_to_pay_for_it_and_none_is_shorter_than_the_provider_demands() -> None:
    assert SESSION_LASTS > HOLD_DURATION + EXTENSION
    assert timedelta(minutes=30) < SESSION_LASTS


def test_the_session_stays_open_past_the_first_end_and_is_ended_with_the_hold(
    started_payment: Payment, paid_house: Payments, clock: Clock
) -> None:
    hold = started_payment.order.hold
    extend_hold(token=hold.token)
    clock.advance(HOLD_DURATION + timedelta(seconds=1))
    Job.objects.filter(task="boxoffice.settle_payment").update(state="done", finished_at=datetime.now(UTC))
    settle_payment(payment_id=started_payment.pk)
    assert session_of(started_payment) == "open"
    hold.refresh_from_db()
    assert Job.objects.get(task="boxoffice.settle_payment", state="waiting").available_at == hold.expires_at

    clock.advance(EXTENSION)
    settle_payment(payment_id=started_payment.pk)
    assert session_of(started_payment) == "expired"
    assert Order.objects.get().status == "expired"


def test_who_pays_in_the_time_that_was_added_gets_the_seats(
    client: Client, started_payment: Payment, paid_house: Payments, clock: Clock
) -> None:
    extend_hold(token=started_payment.order.hold.token)
    clock.advance(HOLD_DURATION + timedelta(minutes=1))
    expire_holds()
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    order = Order.objects.select_related("hold").get()
    assert (order.status, order.hold_id) == ("confirmed", started_payment.order.hold_id)


def test_the_address_of_a_hold_that_was_paid_too_late_leads_to_the_order(
    client: Client, started_payment: Payment, paid_house: Payments, clock: Clock
) -> None:
    at = f"/holds/{started_payment.order.hold.token}/"
    pay(paid_house, started_payment)
    clock.advance(HOLD_DURATION)
    expire_holds()
    come_back(client, started_payment)
    order = Order.objects.get()
    assert order.hold_id != started_payment.order.hold_id
    assert client.get(at)["Location"] == f"/orders/{order.token}/"


def test_the_hold_of_a_fan_on_the_payment_page_is_not_left(client: Client, dear_hold: Hold) -> None:
    press_pay(client, dear_hold)
    assert client.post(f"/holds/{dear_hold.token}/leave/").status_code == 204
    dear_hold.refresh_from_db()
    assert (dear_hold.left_at, dear_hold.status) == (None, "active")
    assert not Job.objects.filter(task="inventory.release_left_hold").exists()


def paid_and_held_again(client: Client, make_show: Callable[..., Show], paid_house: Payments, clock: Clock) -> Payment:
    """The fan's browser holds two seats, pays for them, and, once the hold is over, holds the same seats again."""
    show = make_show(prices={"Front": 4200, "House": 1200})
    client.get(f"/shows/{show.slug}/")
    client.post(f"/shows/{show.slug}/", {"seats": seat_ids(show, "A-1", "A-2")})
    first = Hold.objects.get()
    press_pay(client, first)
    payment = Payment.objects.select_related("order__hold").get()
    pay(paid_house, payment)
    clock.advance(HOLD_DURATION)
    client.post(f"/holds/{first.token}/again/")
    return payment


def test_money_that_came_just_in_time_buys_the_seats_that_its_fan_has_meanwhile_held_again(
    client: Client, make_show: Callable[..., Show], paid_house: Payments, clock: Clock
) -> None:
    """He paid, came to the old page while nobody had been told of it, and pressed "hold the same seats again"."""
    payment = paid_and_held_again(client, make_show, paid_house, clock)
    first = payment.order.hold
    again = Hold.objects.get(follows=first)

    come_back(client, payment)

    order = Order.objects.get()
    again.refresh_from_db()
    assert (order.status, again.status) == ("confirmed", "released")
    assert (order.hold.seat_ids, order.hold.status) == (first.seat_ids, "confirmed")
    assert not Refund.objects.exists()
    assert client.get(f"/holds/{again.token}/").status_code != 200


def test_money_that_came_just_in_time_leaves_alone_what_its_fan_has_begun_to_buy_since(
    client: Client, make_show: Callable[..., Show], paid_house: Payments, clock: Clock
) -> None:
    payment = paid_and_held_again(client, make_show, paid_house, clock)
    first = payment.order.hold
    press_pay(client, Hold.objects.get(follows=first))

    come_back(client, payment)

    assert Hold.objects.get(follows=first).status == "active"
    assert Refund.objects.get().amount == 8400


@pytest.mark.django_db(transaction=True)
def test_who_presses_pay_while_his_late_money_buys_the_seats_by_another_hold_is_led_to_his_order(
    dear_order: Order,
) -> None:
    """The order has another hold all at once, and whoever waits for its row must not find that it is gone."""
    outcomes: list[object] = []
    pressing = threading.Thread(target=run_and_close, args=(lambda: start_payment(order_id=dear_order.pk), outcomes))
    with transaction.atomic():
        release_hold(token=dear_order.hold.token)
        assert confirm_with_other_hold(order_id=dear_order.pk) is not None
        pressing.start()
        wait_for(somebody_waits_for_us, what="the fan waits for the order")
    pressing.join(10)
    assert outcomes == [f"/orders/{dear_order.token}/"]
