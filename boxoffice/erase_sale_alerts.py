"""The addresses of those who asked to be told are kept no longer than it takes to tell them.

That is said in the mail: neither the alert nor the notification holds the address once it is erased. What stays in the
notification is a fingerprint (``notifications.erased_recipient``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction

from boxoffice.messages import sale_opened
from boxoffice.models import SaleAlert
from inventory.models.show import subject_of
from notifications.erased_recipient import FINGERPRINT, erasing_secret

BATCH = 1000

WAITING_STILL = (sale_opened.POSTPONED, sale_opened.NOT_ON_SALE)
"""Why a mail was not sent to somebody who is told after all when the sale opens again."""

# Those whose mail has left since they asked, or was held back for good, and those who wait for nothing any more. The
# show was asked for by few enough that all alerts are read: they live for weeks, and no index would be used for
# anything else. Who asks again just now has locked his row, or has another instant in it when it is read: it stays.
# By notification_once.
ERASE_WHAT_IS_OVER = """
    DELETE FROM boxoffice_salealert WHERE id = ANY(ARRAY(
        SELECT alert.id FROM boxoffice_salealert AS alert
          JOIN inventory_show AS show ON show.id = alert.show_id
         WHERE show.status IN ('over', 'cancelled') OR show.starts_at <= jobs_now()
            OR EXISTS (SELECT 1 FROM notifications_notification AS told
                        WHERE told.subject = 'show:' || alert.show_id AND told.kind = %(kind)s
                          AND told.recipient = alert.email AND told.created_at >= alert.created_at
                          AND (told.status IN ('sent', 'delivered', 'bounced', 'complained')
                               OR told.status = 'suppressed' AND told.last_error <> ALL(%(waiting_still)s)))
         LIMIT %(batch)s
           FOR UPDATE OF alert SKIP LOCKED
    ))
"""

# The notifications whose alert is gone, but for those whose job still runs: the next night finds them. Whoever asks
# again at this moment has his address in the alert alone. By notification_with_address and sale_alert_once.
ERASE_RECIPIENTS = """
    UPDATE notifications_notification AS told SET recipient = {fingerprint}
     WHERE told.id = ANY(ARRAY(
        SELECT id FROM notifications_notification AS told
         WHERE told.kind = %(kind)s AND told.channel = 'email' AND told.recipient NOT LIKE 'erased:%%'
           AND told.status <> 'queued'
           AND NOT EXISTS (SELECT 1 FROM boxoffice_salealert AS alert
                            WHERE alert.show_id = substr(told.subject, length('show:') + 1)::bigint
                              AND alert.email = told.recipient)
         LIMIT %(batch)s
           FOR UPDATE OF told SKIP LOCKED
     ))
"""

# Those of one address about some shows, at once. By notification_once.
ERASE_ITS_RECIPIENTS = """
    UPDATE notifications_notification AS told SET recipient = {fingerprint}
     WHERE told.kind = %(kind)s AND told.subject = ANY(%(subjects)s) AND told.recipient = %(email)s
       AND told.status <> 'queued'
"""


def erase_sale_alerts() -> int:
    """Erase alerts that were told, and those whose show has begun, is over or cancelled, with the addresses in their
    notifications; returns how many alerts.

    Commits after each BATCH, so that nobody waits for it. Safe beside itself.
    """
    values = {"kind": sale_opened.KIND, "batch": BATCH}
    erased = _in_batches(ERASE_WHAT_IS_OVER, {**values, "waiting_still": list(WAITING_STILL)})
    _in_batches(ERASE_RECIPIENTS.format(fingerprint=FINGERPRINT), {**values, "erasing_secret": erasing_secret()})
    return erased


def erase_sale_alert(*, token: str) -> bool:
    """Erase the alert with this secret, for whoever opened the link in its mail. False when there is none now."""
    with transaction.atomic():
        alert = SaleAlert.objects.select_for_update().filter(token=token).first()
        if alert is None:
            return False
        alert.delete()
        _erase_recipients(email=alert.email, show_ids=[alert.show_id])
    return True


def erase_alerts_of(*, email: str) -> None:
    """Erase this address from all alerts and from the notifications about their shows. In the caller's transaction."""
    alerts = SaleAlert.objects.filter(email=email)
    shows = list(alerts.values_list("show_id", flat=True))
    alerts.delete()
    _erase_recipients(email=email, show_ids=shows)


def _erase_recipients(*, email: str, show_ids: list[int]) -> None:
    values: dict[str, str | list[str]] = {
        "kind": sale_opened.KIND,
        "subjects": [subject_of(show_id=show_id) for show_id in show_ids],
        "email": email,
        "erasing_secret": erasing_secret(),
    }
    with connection.cursor() as cursor:
        cursor.execute(ERASE_ITS_RECIPIENTS.format(fingerprint=FINGERPRINT), values)


def _in_batches(statement: str, values: Mapping[str, Any]) -> int:
    changed = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            changed += cursor.rowcount
            if cursor.rowcount < BATCH:
                return changed
