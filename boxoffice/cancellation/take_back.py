"""Taking back what the orders of a cancelled show bought: their tickets become void, their seats free.

Nobody needs that at once: a cancelled show lets nobody in and sells nothing, whatever its tickets and seats say. So it
comes with the mails, and the money is planned without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.utils.translation import gettext_noop

from inventory.return_all_seats import return_all_seats
from tickets.void_many_tickets import void_many_tickets

# Read at the door and on the order's page.
SHOW_CANCELLED = gettext_noop("the show is cancelled")

# By primary key.
HOLDS = "SELECT hold_id FROM boxoffice_order WHERE id = ANY(%(order_ids)s::bigint[])"


@dataclass(frozen=True)
class TakenBack:
    """Tickets made void, seats freed."""

    tickets: int
    seats: int


def take_back(*, order_ids: Sequence[int]) -> TakenBack:
    """Take back all that these orders have. Part of the caller's transaction, which may have locked orders. Four
    statements. Raises TransactionManagementError outside one.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLDS, {"order_ids": list(order_ids)})
        hold_ids = [hold_id for (hold_id,) in cursor.fetchall()]
    seats = return_all_seats(hold_ids=hold_ids)
    return TakenBack(tickets=void_many_tickets(order_ids=order_ids, reason=SHOW_CANCELLED), seats=seats)
