"""Planning that every browser which wants to hear of a subject is told something, once."""

from __future__ import annotations

from django.db import connection

from notifications.channels.push.keys import push_is_set_up
from notifications.channels.push.subscribe import LOCK_SUBJECT
from notifications.models import Notification
from notifications.plan import require_transaction
from notifications.plan_many import plan_notifications

# By push_subscription_once, which begins with the subject.
WHO_LISTENS = """
    SELECT subject, 'push:' || id AS recipient, language
      FROM notifications_pushsubscription WHERE subject = %(about)s
"""


def plan_push(*, kind: str, subject: str, task: str, occurrence: str = "") -> int:
    """Plan one notification and one job for each browser that listens to ``subject``; how many are new. Two statements.

    A browser that subscribes at this moment is planned for, or finds with its subscription what was planned.

    kind, task, occurrence: as for ``plan_notification``. Nothing is planned where push messages are not set up.
    Raises NotInTransaction outside a transaction.
    """
    if not push_is_set_up():
        return 0
    require_transaction()
    with connection.cursor() as cursor:
        cursor.execute(LOCK_SUBJECT, {"subject": subject})
    return plan_notifications(
        kind=kind,
        recipients=WHO_LISTENS,
        params={"about": subject},
        task=task,
        occurrence=occurrence,
        channel=Notification.Channel.PUSH,
    )
