"""Planning that somebody is told something, once."""

from __future__ import annotations

from email.utils import parseaddr
from uuid import uuid4

from django.conf import settings
from django.db import connection

from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction
from notifications.erased_recipient import FINGERPRINT, erasing_secret
from notifications.models import Notification
from notifications.unsubscribe import UNSUBSCRIBED

# Plans what was not planned before, and suppresses at once what its reader wants no more: one row for each of
# ``recipients``, which has the columns subject, recipient, language and key; none for an empty recipient: who has no
# address is told nothing. A second plan of the same waits for the first one's commit and then inserts nothing. The rows
# are inserted in one order, so that two transactions that plan the same cannot wait for each other. A domain that was
# typed in another way when its mails were ended is met only when the mail is sent. Who was told this and whose address
# was erased since is known by its fingerprint. By notification_once and unsubscription_once.
INSERT_NOTIFICATIONS = """
    INSERT INTO notifications_notification
        (kind, subject, channel, recipient, occurrence, language, idempotency_key, message_id, status, last_error)
    SELECT
        %(kind)s, told.subject, %(channel)s, told.recipient, %(occurrence)s, told.language, key,
        '<' || key || '@' || %(sending_domain)s || '>',
        CASE WHEN ended.id IS NULL THEN 'queued' ELSE 'suppressed' END,
        CASE WHEN ended.id IS NULL THEN '' ELSE %(why_ended)s END
    FROM {recipients} AS told
    LEFT JOIN notifications_unsubscription AS ended
      ON ended.address = lower(told.recipient) AND ended.kind = %(kind)s
    WHERE told.recipient <> '' AND NOT EXISTS (SELECT FROM notifications_notification AS erased
                       WHERE erased.subject = told.subject AND erased.kind = %(kind)s
                         AND erased.occurrence = %(occurrence)s
                         AND erased.recipient = {fingerprint})
    ORDER BY told.subject, told.recipient
    ON CONFLICT (subject, kind, recipient, occurrence) DO NOTHING
    RETURNING {columns}
"""

INSERT_NOTIFICATION = INSERT_NOTIFICATIONS.format(
    recipients="(SELECT %(subject)s AS subject, %(recipient)s AS recipient, %(language)s AS language,"
    " %(key)s::uuid AS key)",
    columns="*",
    fingerprint=FINGERPRINT,
)


def plan_notification(
    *,
    kind: str,
    subject: str,
    recipient: str,
    language: str,
    task: str,
    occurrence: str = "",
    channel: str = Notification.Channel.EMAIL,
) -> Notification | None:
    """Insert a queued notification and the job that sends it; None when this was planned before, or nobody is to be
    told (``recipient`` is empty).

    Where its reader wants no more of its kind, it is inserted as suppressed, and there is no job.

    kind: what is told (``tickets_ready``). subject: what it is about (``order:ABC``). recipient: an address, or
    what ``channel`` knows its recipients by. occurrence: tells apart what is rightly told again. task: runs with
    ``notification_id`` and calls ``deliver``.

    Raises NotInTransaction outside a transaction: whoever has something to tell commits both together.
    """
    require_transaction()
    values = {
        "kind": kind,
        "channel": channel,
        "subject": subject,
        "recipient": recipient,
        "occurrence": occurrence,
        "language": language,
        "key": uuid4(),
        "sending_domain": sending_domain(),
        "why_ended": UNSUBSCRIBED,
        "erasing_secret": erasing_secret(),
    }
    for notification in Notification.objects.raw(INSERT_NOTIFICATION, values):
        if notification.status == Notification.Status.QUEUED:
            enqueue(task=task, args={"notification_id": notification.pk}, subject=subject)
        return notification
    return None


def require_transaction() -> None:
    """Raise NotInTransaction where a plan would not share the fate of what it tells of."""
    if not connection.in_atomic_block:
        raise NotInTransaction("Plan a notification inside the transaction that has something to tell.")


def sending_domain() -> str:
    """The domain of the sender's address, which message ids end with. Stored in the row, so it may change later."""
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
