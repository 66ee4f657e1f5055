"""Tickets in each state, for the first two seats of a show on sale."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import transaction

from inventory.models import Seat, Show
from tickets.create_tickets import create_tickets
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket

ORDER_ID = 4711
ORDER_CODE = "QH7K3XPW"


@pytest.fixture
def two_seats(show_on_sale: Show) -> list[Seat]:
    """A-1 and A-2, with their tier."""
    return list(Seat.objects.filter(show=show_on_sale).select_related("tier").order_by("position")[:2])


@pytest.fixture
def pending_tickets(two_seats: list[Seat]) -> list[Ticket]:
    with transaction.atomic():
        return create_tickets(
            order_id=ORDER_ID, order_code=ORDER_CODE, holder_name="Ada Lovelace", seats=two_seats, language="en"
        )


@pytest.fixture
def issued_tickets(pending_tickets: list[Ticket], ticket_files: Path) -> list[Ticket]:
    issue_tickets(order_id=ORDER_ID)
    for ticket in pending_tickets:
        ticket.refresh_from_db()
    return pending_tickets
