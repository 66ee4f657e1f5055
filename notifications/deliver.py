"""Sending one planned notification, through the channel that its row names."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from jobs.errors import JobsError
from jobs.record import record
from notifications import transitions
from notifications.channels.email.send import send_email
from notifications.channels.push.forget import forget_browser
from notifications.channels.push.send import send_push
from notifications.content import Attachment, EmailContent, PushContent
from notifications.errors import SubscriptionGone, UnknownNotification, WrongChannel
from notifications.models import Notification, Suppression
from notifications.suppress import suppress
from notifications.suppression.selectors import suppression_of

__all__ = ["Attachment", "EmailContent", "PushContent", "deliver"]

Content = EmailContent | PushContent

WHY_NOT = {
    Suppression.Reason.BOUNCED: gettext_noop("an earlier mail to this address came back for good"),
    Suppression.Reason.COMPLAINED: gettext_noop("its reader complained of an earlier mail"),
}

GONE = gettext_noop("the browser has ended this subscription")
"""Why it was suppressed. Staff read it, in their own language."""


def deliver(*, notification_id: int, content: Content, urgent: bool = True) -> None:
    """Send the notification and mark it sent. Does nothing but record when it is not queued any more.

    At least once (I4): if the provider took the message and its answer was lost, it goes out again with the same
    Message-ID and idempotency key. Attempts and the last error are kept in the row.

    Raises the errors of ``notifications.errors``: those that are tried again, those that wait their turn, and those
    that are final; an unfit address or a line break in a header is refused before anything is sent. WrongChannel when
    ``content`` is not what the row's channel carries.

    urgent: what its reader waits for, such as tickets. What is not urgent is suppressed where its address returned a
    mail for good or complained of one (``notifications.suppression``).

    A browser that has ended its subscription is forgotten, and its notification suppressed: nobody needs to mend it.
    """
    if not transitions.begin_attempt(notification_id=notification_id):
        if not Notification.objects.filter(id=notification_id).exists():
            raise UnknownNotification
        return  # nothing to write: the run ends, and the job is done
    notification = Notification.objects.get(id=notification_id)
    if not urgent and (reason := _why_not(notification)):
        suppress(notification_id=notification_id, reason=reason)
        return
    try:
        provider_id = _send(notification, content)
    except SubscriptionGone:
        with record():
            forget_browser(recipient=notification.recipient)
            transitions.mark_suppressed(notification_id=notification_id, reason=GONE)
        return
    except JobsError as error:
        if not transitions.note_error(notification_id=notification_id, error=str(error)):
            return  # taken back meanwhile, or the provider has told that it is out: there is nothing to try again
        raise
    with record():
        transitions.mark_sent(notification_id=notification_id, provider_id=provider_id)


def _why_not(notification: Notification) -> str:
    """Why this address gets no bulk mail; empty when it does. For staff, in words that are translated when shown."""
    if notification.channel != Notification.Channel.EMAIL:
        return ""
    suppression = suppression_of(address=notification.recipient)
    return WHY_NOT[Suppression.Reason(suppression.reason)] if suppression else ""


def _send(notification: Notification, content: Content) -> str:
    """One branch for each channel: what it carries, and who sends it. Returns the provider's id, where it has one."""
    match notification.channel, content:
        case Notification.Channel.EMAIL, EmailContent():
            return send_email(notification=notification, content=content)
        case Notification.Channel.PUSH, PushContent():
            send_push(notification=notification, content=content)
            return ""
        case _:
            raise WrongChannel
