"""Planning the reminders of shows that begin within 24 hours: for beat's job and for the command.

Guarantee: one reminder for each order and show, by the constraint ``reminder_once``; and one more where the show was
moved to another time, which forgets those before it and has mails of an occurrence of their own. Reminder, notification
and job are written by one statement, so none exists without the others. It does not matter how often or by how many
processes this runs at once, nor where one of them is killed: each page is a transaction of its own, and whoever comes
next plans what is missing. The lock only keeps two from doing the same work.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.db import connection, transaction

from boxoffice.messages import reminder
from boxoffice.messages.urgency import mail_task
from boxoffice.models.order import subject_of
from jobs.errors import LockLost, LockTaken
from jobs.lease import exclusive
from jobs.management.progress import Progress
from notifications.plan_many import plan_notifications

log = structlog.get_logger(__name__)

LOCK = "boxoffice.plan_reminders"

AT_MOST_SECONDS = 60
"""Renewed with each page, which takes a fraction of a second. Who dies holds up the next run by that much at most."""

AT_LEAST_SECONDS = 5
"""Two schedulers that call for the same run are apart by less: the second one finds the lock taken."""

PAGE = 2000
"""Orders of one transaction. Larger pages are hardly quicker; this one holds its locks for a fraction of a second."""

PRIORITY = 7
"""Of the jobs that send them: whoever has just bought gets his tickets first."""

# 24 hours that pass, not a day of the calendar, whatever zone the session is in. Who bought later than that knows.
TO_BE_REMINDED = """
    SELECT o.id AS order_id, s.id AS show_id
      FROM inventory_show AS s JOIN boxoffice_order AS o ON o.show_id = s.id
     WHERE s.status = 'scheduled' AND s.starts_at > jobs_now() AND s.starts_at <= jobs_now() + interval '24 hours'
       AND o.status IN ('confirmed', 'partly_refunded') AND o.confirmed_at < s.starts_at - interval '24 hours'
"""

# Those that were not reminded yet, of the next show first. By show_by_start, order_by_show and reminder_once.
DUE = f"""{TO_BE_REMINDED}
       AND NOT EXISTS (SELECT FROM boxoffice_reminder AS r WHERE r.order_id = o.id AND r.show_id = s.id)
     ORDER BY s.starts_at, o.id
"""

# Much may have changed since the orders of the page were read. By the primary keys.
STILL_DUE = f"{TO_BE_REMINDED} AND o.id = ANY(%(order_ids)s::bigint[])"

# Who plans the same at the same time waits for our commit and then inserts nothing. All insert in one order, so that
# none waits for one who waits for him. By reminder_once.
REMIND = """
    INSERT INTO boxoffice_reminder (order_id, show_id, planned_at)
    SELECT order_id, show_id, jobs_now() FROM still_due ORDER BY order_id
    ON CONFLICT (order_id, show_id) DO NOTHING
    RETURNING order_id
"""

# Whom to tell: those alone who were not reminded before. Whoever corrects an address meanwhile waits, or is waited for.
# By the primary key.
RECIPIENTS = """
    SELECT %(about)s || o.code AS subject, o.email AS recipient, o.language
      FROM reminded JOIN boxoffice_order AS o ON o.id = reminded.order_id
       FOR SHARE OF o
"""

# Whoever moves one of their shows waits for us, or has moved it before we look at what is due: then its reminders are
# those that he forgets, and none of the time before stays behind. By the primary keys.
LOCK_SHOWS = """
    SELECT id FROM inventory_show
     WHERE id IN (SELECT show_id FROM boxoffice_order WHERE id = ANY(%(order_ids)s::bigint[]))
     ORDER BY id
       FOR SHARE
"""

# What tells the mails of a show that was moved from those before it; the same for all of a show. By the primary
# key, and the trail's index by show.
OCCURRENCES = """
    SELECT coalesce('moved:' || max(a.id), ''), array_agg(DISTINCT o.id)
      FROM boxoffice_order AS o LEFT JOIN boxoffice_showaction AS a ON a.show_id = o.show_id AND a.action = 'move'
     WHERE o.id = ANY(%(order_ids)s::bigint[])
     GROUP BY o.show_id
"""

# Of a show whose row is locked. By order_by_show and reminder_once.
FORGET = """
    DELETE FROM boxoffice_reminder AS r USING boxoffice_order AS o
     WHERE o.show_id = %(show_id)s AND r.order_id = o.id AND r.show_id = o.show_id
"""


def plan_reminders(*, page_size: int = PAGE, progress: Progress | None = None) -> int | None:
    """Plan what is due, unless another process is at it; return how many mails are new, or None where one is.

    page_size: orders of one transaction. progress: is told how many of the orders that are due are done. Opens its own
    transactions. Raises DatabaseError when the database cannot be used.
    """
    planned = 0
    try:
        with exclusive(LOCK, at_most=AT_MOST_SECONDS, at_least=AT_LEAST_SECONDS) as lock:
            due = orders_to_remind()
            if progress is not None:
                progress.begin(len(due))
            for start in range(0, len(due), page_size):
                planned += plan_page(order_ids=due[start : start + page_size])
                done = min(start + page_size, len(due))
                log.info("reminders_planned", planned=planned, done=done, due=len(due))
                if progress is not None:
                    progress.advance(done)
                lock.renew(seconds=AT_MOST_SECONDS)
    except LockTaken:
        log.info("reminders_left_to_another", lock=LOCK)
        return None
    except LockLost:
        log.warning("reminders_left_to_another", lock=LOCK, planned=planned)  # he may have begun already
    return planned


def orders_to_remind() -> list[int]:
    """The ids of the orders whose reminder is due and not planned yet, those of the next show first. One query."""
    with connection.cursor() as cursor:
        cursor.execute(DUE)
        return [order_id for order_id, _show_id in cursor.fetchall()]


def plan_page(*, order_ids: Sequence[int]) -> int:
    """Plan the reminders of those of the orders that are due and were not reminded; return how many mails are new.

    Two queries, and one statement for each show, or for all together that were never moved; in a transaction of its
    own. Shows are not moved meanwhile.
    """
    groups: dict[str, list[int]] = {}
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SHOWS, {"order_ids": list(order_ids)})
            cursor.execute(OCCURRENCES, {"order_ids": list(order_ids)})
            for occurrence, ids in cursor.fetchall():
                groups.setdefault(occurrence, []).extend(ids)
        return sum(_plan(order_ids=groups[occurrence], occurrence=occurrence) for occurrence in sorted(groups))


def forget_reminders(*, show_id: int) -> int:
    """Have everybody reminded again of a show that was moved; returns how many had been. Belongs into the transaction
    that moves it.
    """
    with connection.cursor() as cursor:
        cursor.execute(FORGET, {"show_id": show_id})
        return int(cursor.rowcount)


def _plan(*, order_ids: Sequence[int], occurrence: str) -> int:
    return plan_notifications(
        kind=reminder.KIND,
        steps={"still_due": STILL_DUE, "reminded": REMIND},
        recipients=RECIPIENTS,
        params={"order_ids": list(order_ids), "about": subject_of(code="")},
        task=mail_task(kind=reminder.KIND),
        occurrence=occurrence,
        priority=PRIORITY,
    )
