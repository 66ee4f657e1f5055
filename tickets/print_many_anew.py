"""Having the tickets of many orders printed anew, because something on all of them has changed."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.enqueue_selected import enqueue_selected

PRIORITY = 8
"""Behind the tickets of whoever has just bought: the files before them are good until then."""

# One more edition is wanted of each file. Locked in one order, so that none waits for one who waits for him. By the
# unique order_id.
WANT_ANEW = """
    UPDATE tickets_ticketdocument AS file SET wanted = file.wanted + 1
      FROM (SELECT id FROM tickets_ticketdocument
             WHERE order_id = ANY(%(order_ids)s::bigint[]) ORDER BY id FOR NO KEY UPDATE) AS locked
     WHERE file.id = locked.id
    RETURNING file.order_id
"""

# What the order is called is on its tickets. By ticket_by_order.
JOBS = """
    SELECT jsonb_build_object('order_id', wanted.order_id) AS args,
           'order:' || (SELECT order_code FROM tickets_ticket WHERE order_id = wanted.order_id LIMIT 1) AS subject
      FROM wanted ORDER BY wanted.order_id
"""


def print_many_anew(*, order_ids: Sequence[int]) -> int:
    """Want another edition of the file of each of these orders that has one, and let jobs write them; returns how many.

    The file before it stays good until then. One statement, part of the caller's transaction. Raises NotInTransaction
    outside one.
    """
    return enqueue_selected(
        task="tickets.renew_document",
        steps={"wanted": WANT_ANEW},
        rows=JOBS,
        params={"order_ids": list(order_ids)},
        priority=PRIORITY,
    )
