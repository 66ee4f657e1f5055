"""Open the sale of a show earlier or later than was said."""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction

from inventory.errors import ShowRefused, UnknownShow
from inventory.models import Show
from inventory.plan_sale_opening import plan_sale_opening

# By primary key.
MOVE_SALE_OPENING = """
    UPDATE inventory_show SET on_sale_at = %(on_sale_at)s, version = version + 1
     WHERE id = %(show_id)s AND starts_at > %(on_sale_at)s
"""


def move_sale_opening(*, show_id: int, on_sale_at: datetime) -> None:
    """Let the show sell from ``on_sale_at`` on, and its job wait for that instant. One transaction.

    on_sale_at: with its time zone; it may be past, and then the show sells at once. Holds and orders that exist stay,
    also when the sale closes again until a later instant.
    Raises UnknownShow, and ShowRefused for an instant after the start.
    """
    if on_sale_at.tzinfo is None:
        raise ValueError("Give the opening with its time zone.")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(MOVE_SALE_OPENING, {"show_id": show_id, "on_sale_at": on_sale_at})
            moved = cursor.rowcount == 1
        if moved:
            plan_sale_opening(show_id=show_id)
    if not moved:
        raise _refusal(show_id)


def _refusal(show_id: int) -> UnknownShow | ShowRefused:
    if not Show.objects.filter(pk=show_id).exists():
        return UnknownShow()
    constraints = {constraint.name: constraint for constraint in Show._meta.constraints}
    return ShowRefused(str(constraints["show_sells_before_it_starts"].violation_error_message))
