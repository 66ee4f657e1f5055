"""Orders whose show is about to begin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from boxoffice.models import Order
from inventory.models import Hold, Show
from jobs.clock import database_now
from tests.reminders import A_DAY, move


@pytest.fixture
def show(show_on_sale: Show) -> Show:
    """It begins in 23 hours."""
    move(show_on_sale, timedelta(hours=23))
    return show_on_sale


@pytest.fixture
def make_order(db: None) -> Callable[..., Order]:
    """An order that was confirmed two days ago, unless said otherwise."""
    numbers = count(1)

    def make(show: Show, **given: Any) -> Order:
        now, number = database_now(), next(numbers)
        hold = Hold.objects.create(
            show=show, seat_ids=[number], prices=[0], currency="EUR", status="confirmed", expires_at=now + A_DAY
        )
        values = {
            "code": f"CODE{number}", "token": f"token{number}", "hold": hold, "show": show, "name": "Ada Lovelace",
            "email": f"ada{number}@example.org", "language": "de", "status": "confirmed", "total": 0, "currency": "EUR",
            "confirmed_at": now - 2 * A_DAY, **given,
        }  # fmt: skip
        return Order.objects.create(**values)

    return make


@pytest.fixture
def order(show: Show, make_order: Callable[..., Order]) -> Order:
    return make_order(show)


@pytest.fixture
def orders(transactional_db: None, show: Show, make_order: Callable[..., Order]) -> list[Order]:
    """Ten of them, whose commits other threads see."""
    return [make_order(show) for _ in range(10)]
