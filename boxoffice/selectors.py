"""Reading orders."""

from __future__ import annotations

from django.db.models import QuerySet

from boxoffice.models import Order, OrderLine


def order_by_token(*, token: str) -> Order | None:
    """The order whose page has this secret, with show, venue and offer (``money_back``). One query."""
    return _orders().filter(token=token).first()


def order_by_code(*, code: str) -> Order | None:
    """The same of the order with this code. One query."""
    return _orders().filter(code=code).first()


def order_of_hold(*, hold_id: int) -> Order | None:
    """The order that this hold became, with show and venue. One query."""
    return _orders().filter(hold_id=hold_id).first()


def lines_of_order(*, order_id: int) -> QuerySet[OrderLine]:
    """The order's lines with their seats, in the order of the seats in the house."""
    lines = OrderLine.objects.filter(order_id=order_id).select_related("seat", "order")
    return lines.order_by("seat__position", "seat_id")


def _orders() -> QuerySet[Order]:
    return Order.objects.select_related("show__venue", "show__refund_offer")
