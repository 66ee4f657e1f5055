"""Planning the mails about a cancelled show: set-based, one for each order that had tickets."""

from __future__ import annotations

from collections.abc import Sequence

from boxoffice.messages import show_cancelled
from boxoffice.messages.urgency import mail_task
from boxoffice.models.order import subject_of
from notifications.plan_many import plan_notifications

PRIORITY = 5
"""Before reminders (7): people set out for the show."""

# Whoever corrects an address meanwhile waits, or is waited for. By the primary key.
RECIPIENTS = """
    SELECT %(about)s || o.code AS subject, o.email AS recipient, o.language
      FROM boxoffice_order AS o WHERE o.id = ANY(%(order_ids)s::bigint[])
       FOR SHARE OF o
"""


def tell_orders(*, cancellation_id: int, order_ids: Sequence[int]) -> int:
    """Plan a mail for each of these orders that has an address; returns how many are new. Part of the caller's
    transaction. One statement.
    """
    return plan_notifications(
        kind=show_cancelled.KIND,
        recipients=RECIPIENTS,
        params={"order_ids": list(order_ids), "about": subject_of(code="")},
        task=mail_task(kind=show_cancelled.KIND),
        occurrence=str(cancellation_id),
        priority=PRIORITY,
    )
