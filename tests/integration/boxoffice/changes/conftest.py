"""What staff find at an order that they change."""

from __future__ import annotations

import pytest

from boxoffice.models import Order
from jobs.clock import DatabaseNow
from jobs.models import Job
from tickets.failures import mark_tickets_failed


@pytest.fixture
def dead_job(confirmed_order: Order) -> Job:
    """The job that makes the order's tickets, dead."""
    Job.objects.filter(task="tickets.issue_tickets").update(
        state="dead", attempts=20, reason="attempts used up", error="OSError: disk full", finished_at=DatabaseNow()
    )
    mark_tickets_failed(order_id=confirmed_order.pk)
    return Job.objects.get(task="tickets.issue_tickets")
