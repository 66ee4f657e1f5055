"""Planning the mails that tell whoever has tickets what became of a show: page by page, by set-based SQL.

Guarantee: each order is told once of each change, by the constraint on notifications, since the occurrence of its mail
is the version that the show has by that change; and a page and the job of the next one are one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from boxoffice.messages import show_moved, show_postponed
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import subject_of
from boxoffice.tell_buyer import plan_mail_about
from inventory.models.show import subject_of as subject_of_show
from jobs.enqueue import enqueue
from notifications.models import Notification
from notifications.plan_many import plan_notifications

TASK = "boxoffice.tell_holders"

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

# What tells of a change that a fan may not know of yet, by what was done to the show.
KINDS = {ShowAction.Action.MOVE: show_moved.KIND, ShowAction.Action.POSTPONE: show_postponed.KIND}
TOLD = (*KINDS, ShowAction.Action.GO_ON)


@dataclass(frozen=True)
class ToldPage:
    """The orders of one page, whether there may be more behind it, and how many mails are new."""

    order_ids: Sequence[int]
    is_full: bool
    planned: int


def enqueue_telling(*, show_id: int, kind: str, version: int, after: int = 0) -> None:
    """Put the job into the ledger that tells the holders behind the order ``after``. Requires a transaction."""
    enqueue(
        task=TASK,
        args={"show_id": show_id, "kind": kind, "version": version, "after": after},
        subject=subject_of_show(show_id=show_id),
        dedup_key=f"{kind}:{show_id}:{version}:{after}",
    )


def tell_holders(*, show_id: int, kind: str, version: int, after: int = 0, page_size: int = PAGE) -> int:
    """Plan the mails of one page of orders, and enqueue the next page; returns how many mails are new.

    kind: of the mail. version: the show's by the change that it tells of. after: the last order of the page before.
    Requires a transaction, which ends the job.
    """
    page = tell_page(show_id=show_id, kind=kind, version=version, after=after, page_size=page_size)
    if page.is_full:
        enqueue_telling(show_id=show_id, kind=kind, version=version, after=page.order_ids[-1])
    return page.planned


def tell_page(*, show_id: int, kind: str, version: int, after: int, page_size: int) -> ToldPage:
    """Plan the mails of the orders behind ``after``, ``page_size`` at most. Requires a transaction. Two statements."""
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, {"show_id": show_id, "after": after, "page_size": page_size})
        order_ids = [order_id for (order_id,) in cursor.fetchall()]
    if not order_ids:
        return ToldPage(order_ids=(), is_full=False, planned=0)
    planned = plan_notifications(
        kind=kind,
        recipients=RECIPIENTS,
        params={"order_ids": order_ids, "about": subject_of(code="")},
        task=mail_task(kind=kind),
        occurrence=show_moved.occurrence_of(version=version),
        priority=PRIORITY,
    )
    return ToldPage(order_ids=order_ids, is_full=len(order_ids) == page_size, planned=planned)


def tell_who_paid_later(*, order: Order) -> None:
    """Plan the mail about the newest change of the show's time since the order was placed, unless it was told. Part of
    the caller's transaction. One query, two more where there was such a change.

    Who chose his seats before a show was postponed and paid when it was on sale again has heard of nothing.
    """
    changes = ShowAction.objects.filter(show_id=order.show_id, action__in=TOLD, at__gte=order.placed_at)
    change = changes.order_by("-pk").first()
    if change is None or (action := ShowAction.Action(change.action)) not in KINDS:
        return
    kind, occurrence = KINDS[action], show_moved.occurrence_of(version=change.details["version"])
    told = Notification.objects.filter(subject=order.subject, kind=kind, occurrence=occurrence)
    if not told.exists():
        plan_mail_about(order_id=order.pk, kind=kind, occurrence=occurrence)
