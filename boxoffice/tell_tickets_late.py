"""Telling fans who have paid and see no tickets that we are on it.

Guarantee: at most one such mail for an order, for ever, however often this runs; none once the tickets were sent.
"""

from __future__ import annotations

from datetime import timedelta

from boxoffice.messages import tickets_late, tickets_ready
from boxoffice.models.order import subject_of
from notifications.plan_many import plan_notifications

LATE_AFTER = timedelta(minutes=10)
"""Twenty times the promise of the queue that makes tickets: before that, nobody has begun to worry."""

LOOK_BACK = timedelta(days=3)
"""Orders that were placed before that are not looked at: whoever waits for longer has been told."""

# Confirmed orders with a ticket that nobody makes any more (its job died), or that should long have been made. What was
# told once is not told again, though the order's address was corrected since. By order_newest_first, ticket_by_order
# and notification_once.
LATE = """
    SELECT %(about)s || o.code AS subject, o.email AS recipient, o.language
      FROM boxoffice_order AS o JOIN inventory_show AS s ON s.id = o.show_id
     WHERE o.placed_at > jobs_now() - %(look_back)s
       AND o.status IN ('confirmed', 'partly_refunded')
       AND s.status IN ('scheduled', 'postponed') AND s.starts_at > jobs_now()
       AND EXISTS (SELECT FROM tickets_ticket AS t
                    WHERE t.order_id = o.id
                      AND (t.status = 'failed'
                           OR (t.status = 'pending' AND o.confirmed_at <= jobs_now() - %(late_after)s)))
       AND NOT EXISTS (SELECT FROM notifications_notification AS told
                        WHERE told.subject = %(about)s || o.code
                          AND told.kind IN (%(late_kind)s, %(ready_kind)s))
"""


def tell_tickets_late() -> int:
    """Plan the mails; return how many. Requires a transaction. One statement.

    It looks at the orders of LOOK_BACK and at their tickets: a quarter of a second for 60,000 orders.
    """
    return plan_notifications(
        kind=tickets_late.KIND,
        recipients=LATE,
        params={
            "about": subject_of(code=""),
            "late_kind": tickets_late.KIND,
            "ready_kind": tickets_ready.KIND,
            "late_after": LATE_AFTER,
            "look_back": LOOK_BACK,
        },
        task="boxoffice.send_message",
    )
