"""The addresses of those who asked for their orders are kept no longer than bounding how often takes."""

from __future__ import annotations

from django.db import connection

from boxoffice.messages import my_orders
from notifications.erased_recipient import FINGERPRINT, erasing_secret

BATCH = 1000

# Rows that bound nothing any more. They live for two days at most: all are read.
ERASE_ASKED = """
    DELETE FROM boxoffice_askedorders WHERE id = ANY(ARRAY(
        SELECT id FROM boxoffice_askedorders WHERE asked_at < jobs_now() - interval '1 day'
         LIMIT %(batch)s FOR UPDATE SKIP LOCKED))
"""

# The mails that have left, or will not. By notification_with_address.
ERASE_RECIPIENTS = """
    UPDATE notifications_notification AS told SET recipient = {fingerprint}
     WHERE told.id = ANY(ARRAY(
        SELECT id FROM notifications_notification AS told
         WHERE told.kind = %(kind)s AND told.channel = 'email' AND told.recipient NOT LIKE 'erased:%%'
           AND told.status <> 'queued' AND told.created_at < jobs_now() - interval '1 day'
         LIMIT %(batch)s FOR UPDATE OF told SKIP LOCKED))
"""


def erase_asked_orders() -> int:
    """Erase questions that are a day old, and the addresses in their mails; returns how many questions.

    Commits after each BATCH. Safe beside itself.
    """
    erased = _in_batches(ERASE_ASKED, {})
    values = {"kind": my_orders.KIND, "erasing_secret": erasing_secret()}
    _in_batches(ERASE_RECIPIENTS.format(fingerprint=FINGERPRINT), values)
    return erased


def _in_batches(statement: str, values: dict[str, str]) -> int:
    changed = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, {**values, "batch": BATCH})
            changed += cursor.rowcount
            if cursor.rowcount < BATCH:
                return changed
