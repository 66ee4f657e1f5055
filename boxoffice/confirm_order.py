"""Confirming an order: the one step that the fan waits for."""

from __future__ import annotations

from django.db import transaction

from boxoffice import transitions
from boxoffice.errors import OrderNotFound, OrderNotOpen, SeatsDiffer
from boxoffice.events import OrderConfirmed
from boxoffice.models import Order
from inventory.confirm_hold import confirm_hold
from jobs.events import publish
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

    Raises OrderNotFound, OrderNotOpen (cancelled, refunded, expired), SeatsDiffer, and from inventory HoldExpired
    and HoldNotActive.
    """
    with transaction.atomic():
        confirmed = transitions.confirm(order_id=order_id)
        if confirmed is not None:
            return _sell(confirmed)
    return _confirmed_before(order_id=order_id)


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
    publish(OrderConfirmed(order_id=order.pk, order_code=order.code))
    return order


def _confirmed_before(*, order_id: int) -> Order:
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    if order.status not in _CONFIRMED_BEFORE:
        raise OrderNotOpen
    return order
