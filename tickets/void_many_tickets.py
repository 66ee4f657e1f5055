"""Taking back all tickets of many orders at once: their show will not take place."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from jobs.enqueue_selected import enqueue_selected
from jobs.errors import NotInTransaction

PRIORITY = 9
"""Of the jobs that remove files: nobody waits for them."""

# Any status but void → void. Locked by number, as whoever records their file locks them. By ticket_by_order.
VOID_ALL = """
    WITH locked AS MATERIALIZED (
        SELECT id FROM tickets_ticket WHERE order_id = ANY(%(order_ids)s::bigint[]) AND status <> 'void'
         ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE tickets_ticket AS ticket SET status = 'void', void_reason = %(reason)s
      FROM locked WHERE ticket.id = locked.id AND ticket.status <> 'void'
"""

# Nobody puts a file in place that holds void tickets, so that what is here now is the last one. By the unique order_id.
FORGET_FILES = """
    DELETE FROM tickets_ticketdocument AS file
     WHERE file.order_id = ANY(%(order_ids)s::bigint[])
       AND NOT EXISTS (SELECT 1 FROM tickets_ticket WHERE order_id = file.order_id AND status <> 'void')
    RETURNING file.order_id, file.storage_name
"""

# What the order is called is on its tickets. By ticket_by_order.
JOBS = """
    SELECT jsonb_build_object('storage_name', forgotten.storage_name) AS args,
           'order:' || (SELECT order_code FROM tickets_ticket WHERE order_id = forgotten.order_id LIMIT 1) AS subject
      FROM forgotten ORDER BY forgotten.order_id
"""


def void_many_tickets(*, order_ids: Sequence[int], reason: str) -> int:
    """Make all tickets of these orders void, also those with which somebody has gone in; returns how many were not.

    Their files stay until ``forget_many_files``. reason: told at the door. One statement, part of the caller's
    transaction. Raises NotInTransaction outside one.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Void tickets inside the transaction that gives their seats back.")
    with connection.cursor() as cursor:
        cursor.execute(VOID_ALL, {"order_ids": list(order_ids), "reason": reason})
        return int(cursor.rowcount)


def forget_many_files(*, order_ids: Sequence[int]) -> int:
    """Let those of these orders have no file any more that have no valid ticket; returns how many. Jobs remove what is
    stored. One statement, part of the caller's transaction. Raises NotInTransaction outside one.
    """
    return enqueue_selected(
        task="tickets.discard_file",
        steps={"forgotten": FORGET_FILES},
        rows=JOBS,
        params={"order_ids": list(order_ids)},
        priority=PRIORITY,
    )
