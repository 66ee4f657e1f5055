"""An order of which nothing needs a human."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from inventory.models import Hold
from jobs.clock import database_now
from jobs.models import Job
from tests.fixtures_boxoffice import place
from tickets.models import Ticket


@pytest.fixture
def sold(make_hold: Callable[..., Hold]) -> Order:
    """A confirmed order whose tickets are made."""
    order = confirm_order(order_id=place(make_hold()).pk)
    Ticket.objects.filter(order_id=order.pk).update(status="issued", issued_at=database_now())
    Job.objects.all().delete()
    return order
