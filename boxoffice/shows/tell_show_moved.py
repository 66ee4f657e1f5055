"""Planning the mails about a show that was moved, and having its tickets printed anew: page by page, by set-based SQL.

Guarantee: each order that has tickets is told once of each move, by the constraint on notifications; and its file is
printed anew once, since a page, the job of the next one and the end of its own job are one transaction. Who chose his
seats before the move and paid after it is told of the newest one when his tickets are there.
"""

from __future__ import annotations

from django.db import connection

from boxoffice.messages import show_moved
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import subject_of
from boxoffice.tell_buyer import plan_mail_about
from inventory.models.show import subject_of as subject_of_show
from jobs.enqueue import enqueue
from notifications.models import Notification
from notifications.plan_many import plan_notifications
from tickets.print_many_anew import print_many_anew

TASK = "boxoffice.tell_show_moved"

PAGE = 2000
"""Orders of one transaction, as for reminders."""

PRIORITY = 6
"""Of the mails: before reminders (7), behind whoever has just bought (5)."""

# The next orders that have tickets. By order_by_show.
HOLDERS = """
    SELECT id FROM boxoffice_order
     WHERE show_id = %(show_id)s AND status IN ('confirmed', 'partly_refunded') AND id > %(after)s
     ORDER BY id LIMIT %(page_size)s
"""

# Much may have changed since. Whoever corrects an address meanwhile waits, or is waited for. By the primary key.
RECIPIENTS = """
    SELECT %(about)s || o.code AS subject, o.email AS recipient, o.language
      FROM boxoffice_order AS o
     WHERE o.id = ANY(%(order_ids)s::bigint[]) AND o.status IN ('confirmed', 'partly_refunded')
       FOR SHARE OF o
"""


def tell_show_moved(*, show_id: int, version: int, after: int = 0, page_size: int = PAGE) -> int:
    """Plan the mails of one page of orders, have their files printed anew, and enqueue the next page; returns how many
    mails are new.

    version: the show's by that move; it tells the mails of one move from those of another. after: the last order of
    the page before. Requires a transaction, which ends the job.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, {"show_id": show_id, "after": after, "page_size": page_size})
        order_ids = [order_id for (order_id,) in cursor.fetchall()]
    if not order_ids:
        return 0
    planned = plan_notifications(
        kind=show_moved.KIND,
        recipients=RECIPIENTS,
        params={"order_ids": order_ids, "about": subject_of(code="")},
        task=mail_task(kind=show_moved.KIND),
        occurrence=show_moved.occurrence_of(version=version),
        priority=PRIORITY,
    )
    print_many_anew(order_ids=order_ids)
    if len(order_ids) == page_size:
        enqueue(
            task=TASK,
            args={"show_id": show_id, "version": version, "after": order_ids[-1]},
            subject=subject_of_show(show_id=show_id),
        )
    return planned


def tell_who_paid_later(*, order: Order) -> None:
    """Plan the mail about the newest move since the order was placed, unless it was told. Part of the caller's
    transaction. One query, two more where there was such a move.
    """
    moves = ShowAction.objects.filter(show_id=order.show_id, action=ShowAction.Action.MOVE, at__gte=order.placed_at)
    details = moves.order_by("-pk").values_list("details", flat=True).first()
    if details is None:
        return
    occurrence = show_moved.occurrence_of(version=details["version"])
    told = Notification.objects.filter(subject=order.subject, kind=show_moved.KIND, occurrence=occurrence)
    if not told.exists():
        plan_mail_about(order_id=order.pk, kind=show_moved.KIND, occurrence=occurrence)
