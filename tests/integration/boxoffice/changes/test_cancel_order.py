"""Staff cancel an order: without money while it waits, by refunding all of it once it is confirmed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.changes.cancel_order import CancelledOrder, cancel_order
from boxoffice.changes.errors import NotToBeCancelled
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, OrderAction, Payment, Refund
from boxoffice.refunds.errors import TicketsUsed
from boxoffice.support.story.tell_story import tell_story
from inventory.models import Hold, Seat
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import all_at_once, let_lapse
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import pay
from tests.fixtures_refunds import WHO_AND_WHY, money_back
from tests.money_invariants import violations
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def cancel(order: Order, **given: Any) -> CancelledOrder:
    return cancel_order(order_id=order.pk, **WHO_AND_WHY, **given)


def test_an_order_that_waits_is_void_without_money_and_its_seats_are_free(placed_order: Order) -> None:
    done = cancel(placed_order)
    assert (done.refunded, done.seats_freed, done.page_closed) == (None, True, False)
    placed_order.refresh_from_db()
    assert (placed_order.status, placed_order.hold.status) == ("cancelled", "released")
    assert set(Seat.objects.values_list("status", flat=True)) == {"available"}
    assert not Notification.objects.exists()
    assert OrderAction.objects.get().action == "cancel"


def test_money_that_comes_for_a_cancelled_order_goes_back_and_sells_nothing(
    started_payment: Payment, paid_house: Payments, send: Callable[..., Job]
) -> None:
    pay(paid_house, started_payment)
    assert cancel(started_payment.order).page_closed
    send("boxoffice.settle_payment")
    send("boxoffice.send_refund")
    started_payment.order.refresh_from_db()
    assert started_payment.order.status == "cancelled"
    assert money_back(paid_house) == [8400]
    assert Notification.objects.get().kind == "paid_too_late"
    assert list(violations()) == []


def test_an_order_that_was_paid_after_it_was_cancelled_says_so_to_staff_and_to_its_fan_until_the_money_is_back(
    client: Client, started_payment: Payment, paid_house: Payments, send: Callable[..., Job]
) -> None:
    order = started_payment.order
    pay(paid_house, started_payment)
    cancel(order)
    send("boxoffice.settle_payment")

    order = Order.objects.select_related("show__venue", "hold").get()
    story = tell_story(order=order)
    (late,) = [problem for problem in story.problems if "paid after it was cancelled: 84.00" in problem.what]
    assert not late.needs_a_human
    assert "goes back by itself: 84.00\N{NO-BREAK SPACE}€, is being sent" in late.advice
    assert [entry for entry in story.timeline if any("bought nothing" in note for note in entry.notes)]
    fan = client.get(reverse("order", args=[order.token])).content.decode()
    assert "It came after the order was cancelled, and goes back to you." in fan

    send("boxoffice.send_refund")

    (late,) = [each for each in tell_story(order=order).problems if "after it was cancelled" in each.what]
    assert "It went back by itself: 84.00" in late.advice
    fan = client.get(reverse("order", args=[order.token])).content.decode()
    assert "It came after the order was cancelled, and has gone back to you." in fan
    assert "has left for your bank" in fan


def test_an_order_that_was_cancelled_and_never_paid_says_nothing_of_money(
    client: Client, started_payment: Payment, paid_house: Payments, send: Callable[..., Job]
) -> None:
    cancel(started_payment.order)
    send("boxoffice.settle_payment")

    order = Order.objects.select_related("show__venue", "hold").get()
    assert not [each for each in tell_story(order=order).problems if "paid after" in each.what]
    assert "goes back to you" not in client.get(reverse("order", args=[order.token])).content.decode()


def test_nobody_can_pay_on_the_page_of_a_cancelled_order(
    client: Client, started_payment: Payment, send: Callable[..., Job]
) -> None:
    cancel(started_payment.order)
    send("boxoffice.settle_payment")
    started_payment.refresh_from_db()
    assert started_payment.status == "expired"
    assert client.get(f"/orders/{started_payment.order.token}/").status_code == 200


def test_a_confirmed_order_gives_all_its_money_back(
    paid_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    done = cancel(paid_order)
    assert done.refunded is not None
    assert done.order.status == "refunded"
    send()
    assert money_back(refund_provider) == [8400]
    action = OrderAction.objects.get()
    assert (action.action, action.refund_id) == ("cancel", Refund.objects.get().pk)
    assert list(violations()) == []


def test_a_confirmed_order_that_cost_nothing_ends_as_cancelled(order_with_tickets: Order) -> None:
    assert cancel(order_with_tickets).order.status == "cancelled"
    assert set(Ticket.objects.values_list("status", flat=True)) == {"void"}


def test_where_somebody_is_in_it_asks_for_a_second_thought(order_with_tickets: Order) -> None:
    Ticket.objects.filter(seat__guid="A-1").update(status="used")
    with pytest.raises(TicketsUsed):
        cancel(order_with_tickets)
    assert cancel(order_with_tickets, even_used=True).order.status == "cancelled"


def test_pressed_twice_it_is_cancelled_once(placed_order: Order) -> None:
    cancel(placed_order)
    with pytest.raises(NotToBeCancelled):
        cancel(placed_order)
    assert OrderAction.objects.count() == 1


def test_an_order_whose_hold_has_lapsed_can_be_cancelled_and_frees_nothing_of_others(held_seats: Hold) -> None:
    order = place(held_seats)
    let_lapse(held_seats)
    assert cancel(order).order.status == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_of_a_cancellation_and_a_confirmation_at_once_the_books_know_one(placed_order: Order) -> None:
    outcomes = all_at_once([lambda: cancel(placed_order), lambda: confirm_order(order_id=placed_order.pk)], threads=2)
    placed_order.refresh_from_db()
    sold = Seat.objects.filter(status="sold").count()
    assert (placed_order.status, sold) in {("cancelled", 0), ("confirmed", 2)}, outcomes
    assert list(violations()) == []
