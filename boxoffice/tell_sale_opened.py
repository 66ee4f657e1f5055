"""The sale of a show has opened: plan a mail to everybody who asked to be told."""

from __future__ import annotations

from django.db import connection

from boxoffice.ask_to_be_told import LOCK_TO_TELL
from boxoffice.messages import sale_opened
from boxoffice.messages.urgency import mail_task
from inventory.models.show import subject_of
from notifications.plan_many import plan_notifications

PRIORITY = 6
"""Behind the tickets of those who buy at that moment (5), before what has a day's time."""

# Who has not been told since he asked last. What was suppressed has told nobody. A sale that was closed again meanwhile
# has not opened. By sale_alert_once and notification_once.
WAITING = """
    SELECT %(subject)s AS subject, alert.email AS recipient, alert.language
      FROM boxoffice_salealert AS alert
      JOIN inventory_show AS show ON show.id = alert.show_id
     WHERE alert.show_id = %(show_id)s
       AND show.status = 'scheduled' AND show.on_sale_at <= jobs_now() AND show.starts_at > jobs_now()
       AND NOT EXISTS (SELECT 1 FROM notifications_notification AS told
                        WHERE told.subject = %(subject)s AND told.kind = %(kind_told)s
                          AND told.recipient = alert.email AND told.status <> 'suppressed'
                          AND told.created_at >= alert.created_at)
"""


def tell_sale_opened(*, show_id: int, opening: str) -> int:
    """Plan one mail for each alert of the show; returns how many. Requires a transaction. Two statements.

    opening: tells it from the show's other openings. Called again for the same opening it plans nothing. The alerts
    stay until the mails have left, and are then erased (``erase_sale_alerts``).
    """
    with connection.cursor() as cursor:
        cursor.execute(LOCK_TO_TELL, {"show_id": show_id})
    return plan_notifications(
        kind=sale_opened.KIND,
        recipients=WAITING,
        params={"show_id": show_id, "subject": subject_of(show_id=show_id), "kind_told": sale_opened.KIND},
        task=mail_task(kind=sale_opened.KIND),
        occurrence=opening,
        priority=PRIORITY,
    )
