"""Orders with tickets whose payment is about to be disputed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boxoffice.models import Order


@pytest.fixture
def disputed_order(
    make_paid_order: Callable[..., Order], ticket_files: Any, run_tickets: Callable[[Order], None]
) -> Order:
    """Two seats of 42.00 EUR with tickets that were issued; its payment is about to be disputed."""
    order = make_paid_order()
    run_tickets(order)
    return order


@pytest.fixture
def run_tickets(ticket_files: Any) -> Callable[[Order], None]:
    """Do what the jobs about the order's file do."""
    from tickets.issue_tickets import issue_tickets
    from tickets.renew_document import renew_document

    def run(order: Order) -> None:
        issue_tickets(order_id=order.pk)
        renew_document(order_id=order.pk)

    return run
