"""The addresses of those who asked to be told are kept no longer than it takes to tell them."""

from __future__ import annotations

from django.db import connection

from boxoffice.messages import sale_opened
from boxoffice.models import SaleAlert

BATCH = 1000

# Those whose mail has left since they asked, and those who wait for nothing any more. The show was asked for by few
# enough that all alerts are read: they live for weeks, and no index would be used for anything else. Who asks again
# just now has locked his row, or has another instant in it when it is read: it stays. By notification_once.
ERASE_WHAT_IS_OVER = """
    DELETE FROM boxoffice_salealert WHERE id = ANY(ARRAY(
        SELECT alert.id FROM boxoffice_salealert AS alert
          JOIN inventory_show AS show ON show.id = alert.show_id
         WHERE show.status IN ('over', 'cancelled') OR show.starts_at <= jobs_now()
            OR EXISTS (SELECT 1 FROM notifications_notification AS told
                        WHERE told.subject = 'show:' || alert.show_id AND told.kind = %(kind)s
                          AND told.recipient = alert.email AND told.created_at >= alert.created_at
                          AND told.status IN ('sent', 'delivered', 'bounced', 'complained'))
         LIMIT %(batch)s
           FOR UPDATE OF alert SKIP LOCKED
    ))
"""


def erase_sale_alerts() -> int:
    """Erase alerts that were told, and those whose show has begun, is over or cancelled; returns how many.

    Commits after each BATCH, so that nobody waits for it. Safe beside itself.
    """
    erased = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(ERASE_WHAT_IS_OVER, {"kind": sale_opened.KIND, "batch": BATCH})
            erased += cursor.rowcount
            if cursor.rowcount < BATCH:
                return erased


def erase_sale_alert(*, token: str) -> bool:
    """Erase the alert with this secret, for whoever opened the link in its mail. False when there is none now."""
    return SaleAlert.objects.filter(token=token).delete()[0] == 1
