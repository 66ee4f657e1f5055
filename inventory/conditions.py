"""What counts as free and as on sale, decided by the database's clock at the moment of the query."""

from __future__ import annotations

from django.db.models import Q

from inventory.models import Hold, Seat, Show
from jobs.clock import DatabaseNow


def seat_is_free() -> Q:
    """Seats that a fan can take now: available, or held by a hold that has lapsed."""
    return Q(status=Seat.Status.AVAILABLE) | Q(status=Seat.Status.HELD, hold__expires_at__lte=DatabaseNow())


def hold_is_open() -> Q:
    """Holds that can still be bought: active, and not lapsed."""
    return Q(status=Hold.Status.ACTIVE, expires_at__gt=DatabaseNow())


def show_sells() -> Q:
    """Shows that sell now: scheduled, the sale has opened and the show has not begun."""
    return Q(status=Show.Status.SCHEDULED, on_sale_at__lte=DatabaseNow(), starts_at__gt=DatabaseNow())


def opens_later() -> Q:
    """Shows whose sale has not opened yet."""
    return Q(status=Show.Status.SCHEDULED, on_sale_at__gt=DatabaseNow())
