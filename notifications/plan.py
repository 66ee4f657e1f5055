"""Planning that somebody is told something, once."""

from __future__ import annotations

from email.utils import parseaddr
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection

from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction
from notifications.models import Notification

# A second plan of the same message waits for the first one's commit and then inserts nothing.
INSERT_NOTIFICATION = """
    INSERT INTO notifications_notification
        (kind, subject, recipient, occurrence, language, idempotency_key, message_id)
    VALUES (%(kind)s, %(subject)s, %(recipient)s, %(occurrence)s, %(language)s, %(idempotency_key)s, %(message_id)s)
    ON CONFLICT (subject, kind, recipient, occurrence) DO NOTHING
    RETURNING id, status, attempts, last_error, created_at
"""


def plan_notification(
    *, kind: str, subject: str, recipient: str, language: str, task: str, occurrence: str = ""
) -> Notification | None:
    """Insert a queued notification and the job that sends it; None when this was planned before.

    kind: what is told (``tickets_ready``). subject: what it is about (``order:ABC``). recipient: an address.
    occurrence: tells apart what is rightly told again. task: runs with ``notification_id`` and calls ``deliver``.

    Raises NotInTransaction outside a transaction: whoever has something to tell commits both together.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Plan a notification inside the transaction that has something to tell.")
    key = uuid4()
    values: dict[str, Any] = {
        "kind": kind,
        "subject": subject,
        "recipient": recipient,
        "occurrence": occurrence,
        "language": language,
        "idempotency_key": key,
        "message_id": f"<{key}@{_sending_domain()}>",
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_NOTIFICATION, values)
        row = cursor.fetchone()
    if row is None:
        return None
    names = ("id", "status", "attempts", "last_error", "created_at")
    notification = Notification(**values, **dict(zip(names, row, strict=True)))
    enqueue(task=task, args={"notification_id": notification.pk}, subject=subject)
    return notification


def _sending_domain() -> str:
    """The domain of the sender's address, which message ids end with. Stored in the row, so it may change later."""
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
