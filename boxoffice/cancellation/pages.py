"""Which orders of a cancelled show come next."""

from __future__ import annotations

from django.db import connection

# By the primary key where the show's orders lie close together, else by order_by_show.
NEXT_ORDERS = """
    SELECT id FROM boxoffice_order WHERE show_id = %(show_id)s AND id > %(after)s ORDER BY id LIMIT %(page)s
"""

# By cancelled_order_in_turn.
NEXT_TO_TELL = """
    SELECT order_id FROM boxoffice_cancelledorder
     WHERE cancellation_id = %(cancellation)s AND is_told AND order_id > %(after)s ORDER BY order_id LIMIT %(page)s
"""

# By order_by_show.
BEFORE_THE_FIRST = "SELECT coalesce(min(id), 1) - 1 FROM boxoffice_order WHERE show_id = %(show_id)s"


def next_orders(*, show_id: int, after: int, page: int) -> list[int]:
    """The ids of the show's next orders, whatever their state. One query."""
    return _ids(NEXT_ORDERS, show_id=show_id, after=after, page=page)


def next_to_tell(*, cancellation_id: int, after: int, page: int) -> list[int]:
    """The ids of the next orders whose fans are told. One query."""
    return _ids(NEXT_TO_TELL, cancellation=cancellation_id, after=after, page=page)


def before_the_first(*, show_id: int) -> int:
    """An id below that of the show's first order. One query."""
    return _ids(BEFORE_THE_FIRST, show_id=show_id)[0]


def _ids(sql: str, **values: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [number for (number,) in cursor.fetchall()]
