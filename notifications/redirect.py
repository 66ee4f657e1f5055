"""Sending what one address has not been sent to another one."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext_noop

from notifications.models import Notification
from notifications.plan import plan_notification, require_transaction
from notifications.selectors import notifications_about
from notifications.told_again import again, first_of, number_of

CORRECTED = gettext_noop("its address was corrected, and it goes to the new one")
"""Why it is not sent. Staff read it, in their own language."""

# What still waits for the address. By notification_once.
TAKE_BACK = """
    UPDATE notifications_notification SET status = 'suppressed', last_error = %(why)s
     WHERE subject = %(subject)s AND recipient = %(earlier)s AND channel = 'email' AND status = 'queued'
    RETURNING *
"""


def redirect_unsent(*, subject: str, earlier: str, now: str, language: str, task_for: Callable[[str], str]) -> int:
    """Plan to ``now`` the mails about ``subject`` that were not sent to ``earlier``, and return how many.

    Those that wait are suppressed; those that were given up stay failed, and whoever calls discards their dead jobs.
    Each is planned as one more of its kind, under the number that follows. task_for: names the task that sends mails of
    a kind. One whose attempt is under way may still reach the earlier address. Raises NotInTransaction.
    """
    require_transaction()
    values = {"subject": subject, "earlier": earlier, "why": CORRECTED}
    taken_back = list(Notification.objects.raw(TAKE_BACK, values))
    unsent = [*taken_back, *given_up(subject=subject, recipient=earlier)]
    for mail in unsent:
        plan_notification(
            kind=mail.kind,
            subject=subject,
            recipient=now,
            language=language,
            task=task_for(mail.kind),
            occurrence=again(occurrence=mail.occurrence, number=next_number(mail)),
        )
    return len(unsent)


def given_up(*, subject: str, recipient: str) -> list[Notification]:
    """The mails to this address that failed and were not told again since. One query, by notification_once."""
    newest = {(mail.kind, first_of(mail.occurrence)): mail for mail in notifications_about(subject=subject)}
    return [
        mail for mail in newest.values() if (mail.status, mail.recipient) == (Notification.Status.FAILED, recipient)
    ]


def next_number(mail: Notification) -> int:
    """The number under which this message is told once more. One query, by notification_once."""
    told = Notification.objects.filter(subject=mail.subject, kind=mail.kind, channel=mail.channel)
    same = (each for each in told.values_list("occurrence", flat=True) if first_of(each) == first_of(mail.occurrence))
    return max(map(number_of, same)) + 1
