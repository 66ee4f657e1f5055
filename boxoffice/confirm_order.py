"""Confirming an order: the one step that the fan waits for."""

from __future__ import annotations

from django.db import transaction

from boxoffice import transitions
from boxoffice.errors import OrderNotFound, OrderNotOpen, SeatsDiffer
from boxoffice.events import OrderConfirmed
from boxoffice.models import Order
from boxoffice.payments.errors import ShowCalledOff
from inventory.confirm_hold import confirm_hold
from inventory.replace_hold import replace_hold
from inventory.transitions import lock_show_that_takes_place
from jobs.events import publish
from jobs.in_request import run_in_request
from tickets.create_tickets import create_tickets

# Order, hold, seats, tickets, and the job; what frames them (BEGIN, COMMIT) not counted. A test fixes it.
QUERIES_TO_CONFIRM = 5

# These went through confirm_order, so a second call finds its work done.
_CONFIRMED_BEFORE = (Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED)


def confirm_order(*, order_id: int) -> Order:
    """Confirm the order and return it; a second call returns it too, and changes and enqueues nothing.

    One transaction, or a savepoint in the caller's: the order confirmed, its hold confirmed if it is active and has
    not expired, the seats sold, the tickets pending, ``OrderConfirmed`` published. All of it rolls back unless
    exactly the order's seats were sold. Two calls at once meet at the order's row, and the second finds it confirmed.

    It touches PostgreSQL only (I13): QUERIES_TO_CONFIRM queries for any number of seats, 2 for a second call.

    Raises OrderNotFound, OrderNotOpen (cancelled, refunded, expired), ShowCalledOff, SeatsDiffer, and from inventory
    HoldExpired and HoldNotActive.
    """
    return confirm_if_waiting(order_id=order_id) or _confirmed_before(order_id=order_id)


def confirm_if_waiting(*, order_id: int) -> Order | None:
    """As ``confirm_order``, but None where it was not this call that confirmed: the order did not wait (any more), or
    its show was called off.
    """
    with transaction.atomic():
        confirmed = transitions.confirm(order_id=order_id)
        return _sell(confirmed) if confirmed is not None else None


def confirm_with_other_hold(*, order_id: int) -> Order | None:
    """Confirm an order whose hold is over, by holding the same seats again, at its prices; for money that came late.

    None where that cannot be: a seat is not free, the show was called off, or the order does not wait and has not
    expired. One transaction, or a savepoint in the caller's, rolled back then.
    """
    with transaction.atomic():
        order = Order.objects.select_related("show").get(pk=order_id)
        if not lock_show_that_takes_place(show_id=order.show_id):
            return None
        waiting = Order.objects.select_for_update(no_key=True).filter(
            pk=order_id, status__in=(Order.Status.PENDING_PAYMENT, Order.Status.EXPIRED)
        )
        hold = replace_hold(hold_id=order.hold_id) if waiting.first() else None
        confirmed = transitions.confirm_late(order_id=order_id, hold_id=hold.pk) if hold is not None else None
        return _sell(confirmed) if confirmed is not None else None


def _sell(confirmed: transitions.ConfirmedOrder) -> Order:
    order = confirmed.order
    seats = confirm_hold(hold_id=order.hold_id)
    if sorted(seat.pk for seat in seats) != confirmed.seat_ids:
        raise SeatsDiffer
    create_tickets(
        order_id=order.pk,
        order_code=order.code,
        holder_name=order.name,
        seats=seats,
        language=order.language,
    )
    event = OrderConfirmed(order_id=order.pk, order_code=order.code)
    publish(event)
    run_in_request(subject=event.subject())
    return order


def _confirmed_before(*, order_id: int) -> Order:
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    if order.status == Order.Status.PENDING_PAYMENT:
        raise ShowCalledOff
    if order.status not in _CONFIRMED_BEFORE:
        raise OrderNotOpen
    return order
