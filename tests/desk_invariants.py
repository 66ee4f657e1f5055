"""What must hold of orders, tickets, holds and the trail, whatever staff did to them at the same time."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection

from tests.money_invariants import violations

_STANDS = "line.refunded_at IS NULL AND o.status IN ('confirmed', 'partly_refunded')"

# Each finds what must never be, whatever came first.
NEVER = {
    "a seat of an order without exactly one valid ticket": f"""
        SELECT line.id FROM boxoffice_orderline AS line JOIN boxoffice_order AS o ON o.id = line.order_id
         WHERE {_STANDS}
           AND (SELECT count(*) FROM tickets_ticket AS ticket
                 WHERE ticket.order_id = o.id AND ticket.seat_id = line.seat_id AND ticket.status <> 'void') <> 1
    """,
    "a valid ticket for a seat that its order has not": f"""
        SELECT ticket.id FROM tickets_ticket AS ticket
         WHERE ticket.status <> 'void'
           AND NOT EXISTS (SELECT FROM boxoffice_orderline AS line JOIN boxoffice_order AS o ON o.id = line.order_id
                            WHERE {_STANDS} AND line.order_id = ticket.order_id AND line.seat_id = ticket.seat_id)
    """,
    "a valid ticket with another name than its order": """
        SELECT ticket.id FROM tickets_ticket AS ticket JOIN boxoffice_order AS o ON o.id = ticket.order_id
         WHERE ticket.status <> 'void' AND ticket.holder_name <> o.name
    """,
    "a pending ticket that no job makes": """
        SELECT ticket.id FROM tickets_ticket AS ticket
         WHERE ticket.status = 'pending'
           AND NOT EXISTS (SELECT FROM jobs_job AS job
                            WHERE job.task = 'tickets.issue_tickets'
                              AND job.state IN ('waiting', 'published', 'running')
                              AND job.args->>'order_id' = ticket.order_id::text)
    """,
    "a queued mail that no job sends": """
        SELECT mail.id FROM notifications_notification AS mail
         WHERE mail.status = 'queued'
           AND NOT EXISTS (SELECT FROM jobs_job AS job
                            WHERE job.state IN ('waiting', 'published', 'running')
                              AND job.args->>'notification_id' = mail.id::text)
    """,
    "a held seat whose hold has ended": """
        SELECT seat.id FROM inventory_seat AS seat LEFT JOIN inventory_hold AS hold ON hold.id = seat.hold_id
         WHERE seat.status = 'held' AND hold.status IS DISTINCT FROM 'active'
    """,
    "a seat that was given back without exactly one line in the trail": """
        SELECT line.id FROM boxoffice_orderline AS line
         WHERE line.refunded_at IS NOT NULL
           AND (SELECT count(*) FROM boxoffice_orderaction AS action
                 WHERE action.action IN ('refund', 'cancel') AND line.id = ANY(action.line_ids)) <> 1
    """,
}


def disorder() -> Iterator[tuple[str, list[int]]]:
    """What is as it must never be, of money and seats too, with the numbers of the rows."""
    yield from violations()
    for what, sql in NEVER.items():
        with connection.cursor() as cursor:
            cursor.execute(sql)
            found = [number for (number,) in cursor.fetchall()]
        if found:
            yield what, found
