"""Remembering that an address shall get no more bulk mail."""

from __future__ import annotations

from django.db import connection

from notifications.suppression.fold import folded
from notifications.transitions import one_line

# By suppression_one_in_force: an address that is suppressed already stays so for its first reason.
SUPPRESS = """
    INSERT INTO notifications_suppression (address, reason, detail, notification_id)
    VALUES (%(address)s, %(reason)s, %(detail)s, %(notification_id)s)
    ON CONFLICT (address) WHERE lifted_at IS NULL DO NOTHING
"""


def suppress_address(*, address: str, reason: str, detail: str, notification_id: int) -> bool:
    """Suppress bulk mail to ``address`` from now on. False when it was suppressed already.

    reason: one of ``Suppression.Reason``. detail: what the provider said, for staff. notification_id: of the mail that
    showed it. Runs in the caller's transaction.
    """
    values: dict[str, str | int] = {
        "address": folded(address),
        "reason": reason,
        "detail": one_line(detail),
        "notification_id": notification_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(SUPPRESS, values)
        return cursor.rowcount == 1
