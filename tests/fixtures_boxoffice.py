"""Orders in the states that the tests of the box office begin with. Factories make rows; services move states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from boxoffice.place_order import place_order
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from jobs.models import Job
from tickets.issue_tickets import issue_tickets

# What frames the statements of a service and is no work of its own.
FRAMES = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@pytest.fixture
def make_hold(make_show: Callable[..., Show]) -> Callable[..., Hold]:
    """Holds the first ``seats`` seats of a new show."""
    numbers = count(1)

    def make(*, seats: int = 2, **show: Any) -> Hold:
        on_sale = make_show(f"Nightbirds {next(numbers)}", **show)
        first = Seat.objects.filter(show=on_sale).order_by("position").values_list("pk", flat=True)[:seats]
        return hold_seats(show_id=on_sale.pk, seat_ids=list(first))

    return make


@pytest.fixture
def placed_order(held_seats: Hold) -> Order:
    """Two seats, waiting for their confirmation."""
    return place(held_seats)


@pytest.fixture
def confirmed_order(placed_order: Order) -> Order:
    """Two seats sold, their tickets pending."""
    return confirm_order(order_id=placed_order.pk)


@pytest.fixture
def order_with_tickets(confirmed_order: Order, ticket_files: Path) -> Order:
    """Two seats sold, their tickets issued and stored."""
    issue_tickets(order_id=confirmed_order.pk)
    return confirmed_order


@pytest.fixture
def ticket_files(settings: Any, tmp_path: Path) -> Path:
    """The folder of the ticket files, which goes away with the test."""
    settings.MEDIA_ROOT = str(tmp_path)
    return tmp_path


def place(hold: Hold, **typed: str) -> Order:
    """Place the hold with the form as a fan would fill it in."""
    form = {"name": "Ada Lovelace", "email": "ada@example.org", "language": "en"}
    return place_order(hold_token=hold.token, **(form | typed))


def jobs_about_orders() -> QuerySet[Job]:
    """The jobs that orders have left in the ledger; shows and holds leave some of their own."""
    return Job.objects.filter(subject__startswith="order:")


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements that reach PostgreSQL inside the block, without those that only frame them."""
    seen: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip().upper().startswith(FRAMES):
            seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen
