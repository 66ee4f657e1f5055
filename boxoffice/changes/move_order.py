"""Moving an order to other seats of its show, at the same price."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from boxoffice import transitions
from boxoffice.changes.errors import (
    CountDiffers,
    LinesGone,
    NotToBeMoved,
    PriceDiffers,
    SeatGivenBackBefore,
    SomebodyIsIn,
)
from boxoffice.changes.trail import write_action
from boxoffice.errors import OrderNotFound
from boxoffice.events import OrderMoved
from boxoffice.models import Order, OrderAction, OrderLine
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.errors import DuplicateSeats, UnknownSeats
from inventory.models import Seat
from inventory.money import Money
from inventory.move_seats import move_seats
from inventory.transitions import lock_show_that_takes_place
from jobs.audit import require_reason
from jobs.events import publish
from tickets.create_tickets import create_tickets
from tickets.models import VoidReason
from tickets.void_tickets import void_tickets


@dataclass(frozen=True)
class MovedOrder:
    """The order, and the seats by pairs: where somebody was to sit, and where he sits now."""

    order: Order
    pairs: Sequence[tuple[Seat, Seat]]


def move_order(
    *, order_id: int, line_ids: Collection[int], from_ids: Collection[int], to_ids: Sequence[int], by: str, reason: str
) -> MovedOrder:
    """Move these lines of the order to as many other free seats of its show. One transaction.

    The old seats are on sale again and the new ones sold; the old tickets void with the reason "moved", new ones with
    other codes pending, and ``OrderMoved`` has them issued and mailed. No money moves: a line keeps its price, so each
    new seat is of the same tier as the old one or costs what was paid for it.

    from_ids: the seats that these lines had when the page asked; pressed twice, they have others. by, reason: kept in
    the order's trail. Calls for one order wait for each other.

    Raises ReasonMissing, OrderNotFound, NotToBeMoved, LinesGone, CountDiffers, DuplicateSeats, UnknownSeats,
    PriceDiffers, SeatGivenBackBefore, SomebodyIsIn, and from inventory SeatsTaken.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order = Order.objects.filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        if not lock_show_that_takes_place(show_id=order.show_id):
            raise NotToBeMoved
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if order.status not in REFUNDABLE:
            raise NotToBeMoved
        lines = _chosen(order, line_ids=line_ids, from_ids=from_ids)
        pairs = paired(order=order, lines=lines, seats=_wanted(order, to_ids))
        _move(order, pairs)
        write_action(
            order=order,
            action=OrderAction.Action.MOVE,
            by=by,
            reason=reason,
            line_ids=[line.pk for line, _seat in pairs],
            details={"from": [line.seat.label for line, _seat in pairs], "to": [seat.label for _line, seat in pairs]},
        )
        publish(OrderMoved(order_id=order.pk, order_code=order.code))
    return MovedOrder(order=order, pairs=[(line.seat, seat) for line, seat in pairs])


def paired(*, order: Order, lines: Sequence[OrderLine], seats: Sequence[Seat]) -> list[tuple[OrderLine, Seat]]:
    """Which line goes to which seat: of its own tier first, then of the price that was paid. Pure.

    Raises CountDiffers, and PriceDiffers for the first seat that no line can go to.
    """
    if len(lines) != len(seats):
        raise CountDiffers(old=len(lines), new=len(seats))
    left, pairs, others = list(lines), [], []
    for seat in seats:
        line = next((line for line in left if line.seat.tier_id == seat.tier_id), None)
        if line is None:
            others.append(seat)
        else:
            left.remove(line)
            pairs.append((line, seat))
    for seat in others:
        line = next((line for line in left if line.price == seat.tier.price), None)
        if line is None:
            costs = Money(seat.tier.price, order.currency)
            raise PriceDiffers(label=seat.label, costs=costs, paid=[Money(each.price, order.currency) for each in left])
        left.remove(line)
        pairs.append((line, seat))
    return pairs


def _chosen(order: Order, *, line_ids: Collection[int], from_ids: Collection[int]) -> list[OrderLine]:
    lines = list(
        OrderLine.objects.filter(order_id=order.pk, pk__in=line_ids, refunded_at__isnull=True)
        .select_related("seat__tier", "order")
        .order_by("seat__position", "pk")
    )
    if not lines or len(lines) != len(set(line_ids)) or {line.seat_id for line in lines} != set(from_ids):
        raise LinesGone
    return lines


def _wanted(order: Order, to_ids: Sequence[int]) -> list[Seat]:
    if len(set(to_ids)) < len(to_ids):
        raise DuplicateSeats
    seats = list(
        Seat.objects.filter(show_id=order.show_id, pk__in=to_ids).select_related("tier").order_by("position", "pk")
    )
    if len(seats) < len(to_ids):
        raise UnknownSeats
    before = OrderLine.objects.filter(order_id=order.pk, seat_id__in=to_ids, refunded_at__isnull=False)
    if line := before.select_related("seat").first():
        raise SeatGivenBackBefore(line.seat.label)
    return seats


def _move(order: Order, pairs: Sequence[tuple[OrderLine, Seat]]) -> None:
    """Seats, lines and tickets."""
    old = [line.seat_id for line, _seat in pairs]
    seats = move_seats(hold_id=order.hold_id, moves=dict(zip(old, (seat.pk for _line, seat in pairs), strict=True)))
    for line, seat in pairs:
        if not transitions.move_line(line_id=line.pk, from_id=line.seat_id, to_id=seat.pk, tier_name=seat.tier.name):
            raise LinesGone
    if not void_tickets(order_id=order.pk, seat_ids=old, reason=str(VoidReason.MOVED)):
        raise SomebodyIsIn
    create_tickets(
        order_id=order.pk, order_code=order.code, holder_name=order.name, seats=seats, language=order.language
    )
