"""Telling fans who have paid and see no tickets that we are on it.

Guarantee: at most one such mail for an order, for ever, however often this runs; none once the tickets were sent.
"""

from __future__ import annotations

from datetime import timedelta

from boxoffice.messages import tickets_late, tickets_ready
from boxoffice.models.order import subject_of
from notifications.models import Notification
from notifications.plan_many import plan_notifications

LATE_AFTER = timedelta(minutes=10)
"""Twenty times the promise of the queue that makes tickets: before that, nobody has begun to worry."""

LOOK_BACK = timedelta(days=3)
"""Orders that were confirmed before that are not looked at: whoever waits for longer has been told."""

# Confirmed orders with a ticket that nobody makes any more (its job died), or that should long have been made. A ticket
# is created when its order is confirmed. What was told once is not told again, though the order's address was corrected
# since; a push message is another thing. Whoever corrects an address meanwhile waits, or is waited for. By
# ticket_not_made, the orders' primary key and notification_once.
LATE = """
    WITH waiting AS MATERIALIZED (
        SELECT order_id FROM tickets_ticket
         WHERE status = 'failed' AND created_at > jobs_now() - %(look_back)s
        UNION
        SELECT order_id FROM tickets_ticket
         WHERE status = 'pending' AND created_at > jobs_now() - %(look_back)s
           AND created_at <= jobs_now() - %(late_after)s
    )
    SELECT %(about)s || o.code AS subject, o.email AS recipient, o.language
      FROM waiting JOIN boxoffice_order AS o ON o.id = waiting.order_id
           JOIN inventory_show AS s ON s.id = o.show_id
     WHERE o.status IN ('confirmed', 'partly_refunded')
       AND s.status IN ('scheduled', 'postponed') AND s.starts_at > jobs_now()
       AND NOT EXISTS (SELECT FROM notifications_notification AS told
                        WHERE told.subject = %(about)s || o.code
                          AND told.kind IN (%(late_kind)s, %(ready_kind)s)
                          AND told.channel = %(by_mail)s)
       FOR SHARE OF o
"""


def tell_tickets_late() -> int:
    """Plan the mails; return how many. Requires a transaction. One statement.

    It looks at the tickets that are not made, few of all that there are, and at their orders.
    """
    return plan_notifications(
        kind=tickets_late.KIND,
        recipients=LATE,
        params={
            "about": subject_of(code=""),
            "late_kind": tickets_late.KIND,
            "ready_kind": tickets_ready.KIND,
            "by_mail": Notification.Channel.EMAIL,
            "late_after": LATE_AFTER,
            "look_back": LOOK_BACK,
        },
        task="boxoffice.send_message",
    )
