"""What staff do by hand about messages, written down with the change itself."""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet

from jobs.audit import signed
from notifications.models import MessageAction
from notifications.plan import require_transaction

# Once for each number of a message. By message_resent_once_per_number.
WRITE_DOWN_RESEND = """
    INSERT INTO notifications_messageaction
        (subject, action, kind, occurrence, recipient, earlier_recipient, by, reason)
    VALUES (%(subject)s, 'resend', %(kind)s, %(occurrence)s, %(recipient)s, '', %(by)s, %(reason)s)
    ON CONFLICT (subject, kind, occurrence) WHERE action = 'resend' DO NOTHING
"""


def write_down_resend(*, subject: str, kind: str, occurrence: str, recipient: str, by: str, reason: str) -> bool:
    """Note that this message is sent again. False when it was noted before: somebody pressed twice.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    require_transaction()
    values = {"subject": subject, "kind": kind, "occurrence": occurrence, "recipient": recipient}
    values |= signed(by=by, reason=reason)
    with connection.cursor() as cursor:
        cursor.execute(WRITE_DOWN_RESEND, values)
        return cursor.rowcount == 1


def write_down_address(*, subject: str, earlier: str, now: str, by: str, reason: str) -> None:
    """Note that messages about ``subject`` go to another address from now on.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    require_transaction()
    MessageAction.objects.create(
        subject=subject,
        action=MessageAction.Action.ADDRESS,
        recipient=now,
        earlier_recipient=earlier,
        **signed(by=by, reason=reason),
    )


def actions_about(*, subject: str) -> QuerySet[MessageAction]:
    """What was done by hand about the messages on ``subject``, oldest first. By message_action_by_subject."""
    return MessageAction.objects.filter(subject=subject).order_by("id")
