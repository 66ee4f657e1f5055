"""What the templates of several kinds say of an order or a show."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from boxoffice.messages.show_times import clock_in_words
from boxoffice.models import Order
from boxoffice.order_address import address_of
from inventory.models import Show
from inventory.venue_time import in_venue_time


def about_order(order: Order) -> dict[str, Any]:
    """The order, the address of its page, and its show. ``order`` comes with show and venue."""
    return {"order": order, "order_url": address_of(order), **about_show(order.show)}


def about_money_back(order: Order, *, until: datetime | None) -> dict[str, Any]:
    """Until when its fan may have his money back, by the clock at the venue, and where; empty where he may not."""
    if until is None:
        return {"money_back_until": "", "money_back_url": ""}
    return {
        "money_back_until": in_venue_time(instant=until, zone=order.show.venue.zone),
        "money_back_url": f"{settings.PUBLIC_URL}{reverse('money_back', args=[order.token])}",
    }


def about_show(show: Show) -> dict[str, Any]:
    """The show, where it is, when it starts and when the doors open, by the clock at the venue."""
    return {
        "show": show,
        "venue": show.venue,
        "starts": in_venue_time(instant=show.starts_at, zone=show.venue.zone),
        "doors": clock_in_words(show.doors_at_local),
    }
