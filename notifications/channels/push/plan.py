"""Planning that every browser which wants to hear of a subject is told something, once."""

from __future__ import annotations

from notifications.channels.push.keys import push_is_set_up
from notifications.models import Notification
from notifications.plan_many import plan_notifications

# By push_subscription_once, which begins with the subject.
WHO_LISTENS = """
    SELECT subject, 'push:' || id AS recipient, language
      FROM notifications_pushsubscription WHERE subject = %(about)s
"""


def plan_push(*, kind: str, subject: str, task: str, occurrence: str = "") -> int:
    """Plan one notification and one job for each browser that listens to ``subject``; how many are new. One statement.

    kind, task, occurrence: as for ``plan_notification``. Nothing is planned where push messages are not set up.
    Raises NotInTransaction outside a transaction.
    """
    if not push_is_set_up():
        return 0
    return plan_notifications(
        kind=kind,
        recipients=WHO_LISTENS,
        params={"about": subject},
        task=task,
        occurrence=occurrence,
        channel=Notification.Channel.PUSH,
    )
