"""Selling to somebody whose order came to nothing: his seats and his name are typed already."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from boxoffice.models import Order
from boxoffice.selectors import lines_of_order
from jobs.personal import may_see_personal_data

_LONGEST_ID = 18


def address_to_sell_again(order: Order) -> str:
    """Where the seats of such an order are chosen once more."""
    return f"{reverse('admin:boxoffice_order_sell_seats', args=[order.show_id])}?again={order.pk}"


def order_to_sell_again(request: HttpRequest) -> Order | None:
    """The order that the page was asked for with, if it came to nothing. One query, or none."""
    number = request.GET.get("again", "")
    if not number.isdecimal() or len(number) > _LONGEST_ID or not may_see_personal_data(request.user):
        return None
    return Order.objects.filter(pk=number, confirmed_at=None).first()


def as_seats(order: Order | None) -> dict[str, Any]:
    """What is in the field of the seats at first: those that the order had, by the labels that it reads."""
    if order is None:
        return {}
    return {"seats": "; ".join(line.seat.label for line in lines_of_order(order_id=order.pk) if line.seat.number)}


def as_buyer(order: Order | None) -> dict[str, Any]:
    """Who buys, at first: whoever the order was for, and he is on the telephone."""
    if order is None:
        return {}
    given = {"name": order.name, "email": order.email, "language": order.language}
    return {**given, "channel": Order.Channel.PHONE}
