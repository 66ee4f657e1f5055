"""Dead jobs that nobody need look at any more, since their message was told again."""

from __future__ import annotations

from collections.abc import Collection

from jobs.dead.discard import give_up
from jobs.dead.selection import Filter, pages
from jobs.errors import NotDead
from notifications.plan import require_transaction

PAGE = 100


def discard_dead_jobs(*, subject: str, notification_ids: Collection[int], by: str, reason: str) -> int:
    """Discard the dead jobs that were to send these notifications about ``subject``; return how many.

    Part of the caller's transaction, which tells them again: nobody is asked to mend what is mended, and a replay
    cannot send the message a second time. by, reason: for the jobs' audit trail. One whom somebody replays at this
    moment is left alone: its notification is queued again once this returns.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    require_transaction()
    discarded = 0
    for page in pages(Filter(subject=subject, include_quarantined=True), size=PAGE, using="default"):
        for row in page:
            if not (isinstance(row.args, dict) and row.args.get("notification_id") in notification_ids):
                continue
            try:
                give_up(row, by=by, reason=reason, using="default")
            except NotDead:  # nothing has changed
                continue
            discarded += 1
    return discarded
