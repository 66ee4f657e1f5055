"""The kinds of what a human must look at: what makes an item, who sees it, and whether somebody may settle it by hand.

Guarantee: an item is there because its cause is there, and for as long. Nothing has to notice it first, and nothing
has to take it away (I11). Each statement reads an index that holds such rows and no others, so that a million orders
without a fault cost nothing.

Bounded: nobody looks at more than some hundreds of a kind, so each statement is read no further than ``most`` items.

A statement yields key, since, last_at, order_id, jobs. ``key`` names the cause among those of its kind: where it is a
row, its number, so that what was settled once stays settled. ``since`` and ``last_at`` are when it began and when it
was worst last; ``jobs`` is how many rows are behind it, where that costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from boxoffice.messages import show_cancelled
from boxoffice.support.story.refund_story import PENDING_TOO_LONG
from boxoffice.tell_tickets_late import LATE_AFTER
from jobs.flow.load import STALE_SECONDS
from jobs.queues import all_queues
from jobs.schedules.selectors import LATE_SECONDS

# All that died of the same is one item: one cause is mended, one group replayed. It goes from each group of
# job_dead_by_cause to the next and looks at both of its ends: a hundred thousand dead jobs are not counted for the
# number in a header.
DEAD_JOBS = """
    SELECT cause.task || ' ' || cause.died_of AS key, oldest.finished_at AS since, newest.finished_at AS last_at,
           NULL::bigint AS order_id, 0::bigint AS jobs
      FROM (WITH RECURSIVE found AS (
                (SELECT task, died_of FROM jobs_job WHERE state = 'dead' ORDER BY task, died_of LIMIT 1)
                UNION ALL
                SELECT next.task, next.died_of FROM found, LATERAL (
                    SELECT task, died_of FROM jobs_job
                     WHERE state = 'dead' AND (task, died_of) > (found.task, found.died_of)
                     ORDER BY task, died_of LIMIT 1) AS next
            ) SELECT task, died_of FROM found) AS cause
      CROSS JOIN LATERAL (SELECT finished_at FROM jobs_job
                           WHERE state = 'dead' AND task = cause.task AND died_of = cause.died_of
                           ORDER BY task, died_of, finished_at, id LIMIT 1) AS oldest
      CROSS JOIN LATERAL (SELECT finished_at FROM jobs_job
                           WHERE state = 'dead' AND task = cause.task AND died_of = cause.died_of
                           ORDER BY task DESC, died_of DESC, finished_at DESC, id DESC LIMIT 1) AS newest
"""

# Those that wait longest, both states in the order of the index: not more orders than anybody looks at. The order of
# each by its primary key: OFFSET 0 keeps PostgreSQL from reading all orders for that. By ticket_not_made.
TICKETS = """
    SELECT t.order_id::text AS key, min(t.created_at) AS since, min(t.created_at) AS last_at, t.order_id,
           sum(t.tickets)::bigint AS jobs
      FROM ((SELECT created_at, order_id, count(*) AS tickets FROM tickets_ticket WHERE status = 'failed'
              GROUP BY created_at, order_id ORDER BY created_at, order_id LIMIT %(most)s)
            UNION ALL
            (SELECT created_at, order_id, count(*) FROM tickets_ticket
              WHERE status = 'pending' AND created_at <= jobs_now() - %(tickets_late_after)s
              GROUP BY created_at, order_id ORDER BY created_at, order_id LIMIT %(most)s)) AS t
     CROSS JOIN LATERAL (SELECT status FROM boxoffice_order WHERE id = t.order_id OFFSET 0) AS o
     WHERE o.status IN ('confirmed', 'partly_refunded') AND (%(key)s::text IS NULL OR t.order_id::text = %(key)s)
     GROUP BY t.order_id
"""

# What was written off since it failed is looked at no more; what a bank sends back later is. Tens of thousands that
# wait for the provider are no matter of this. By refund_failed, refund_pending, refund_by_hand and the primary keys.
REFUNDS = """
    SELECT r.id::text AS key, r.at AS since, r.at AS last_at, p.order_id, 1::bigint AS jobs
      FROM (SELECT failed.id, failed.payment_id, coalesce(failed.settled_at, failed.created_at) AS at
              FROM boxoffice_refund AS failed
             WHERE failed.status = 'failed'
               AND NOT EXISTS (SELECT FROM boxoffice_refund AS later WHERE later.replaces_id = failed.id)
               AND NOT EXISTS (SELECT FROM boxoffice_writeoff AS off
                                WHERE off.payment_id = failed.payment_id AND off.at >= failed.settled_at)
            UNION ALL
            SELECT id, payment_id, created_at FROM boxoffice_refund
             WHERE status = 'pending' AND created_at < jobs_now() - %(pending_too_long)s
            UNION ALL
            SELECT id, payment_id, created_at FROM boxoffice_refund WHERE status = 'planned' AND by_hand) AS r
      JOIN boxoffice_payment AS p ON p.id = r.payment_id
"""

# By cancellation_open: a row for each show that is being cancelled.
CANCELLATIONS = """
    SELECT c.id::text AS key, c.paused_at AS since, c.paused_at AS last_at, NULL::bigint AS order_id, 1::bigint AS jobs
      FROM boxoffice_cancellation AS c WHERE c.phase <> 'closed' AND c.pause = 'balance'
"""

# By payment_with_a_problem. Where the provider opened no page, a later attempt is looked at instead.
PAYMENTS = """
    SELECT p.id::text AS key, coalesce(p.settled_at, p.created_at) AS since,
           coalesce(p.settled_at, p.created_at) AS last_at, p.order_id, 1::bigint AS jobs
      FROM boxoffice_payment AS p
     WHERE p.problem <> ''
       AND (p.provider_id <> ''
            OR NOT EXISTS (SELECT FROM boxoffice_payment AS later
                            WHERE later.order_id = p.order_id AND later.id > p.id))
"""

# The newest mail of an order that did not arrive, or the news that its show is cancelled that was not sent, unless the
# same was told again since, which is looked at instead, or that news was planned since, after which nothing else
# counts; once the show is over nobody waits for it. One mail after the other, until as many are found as are wanted.
# By notification_not_arrived, notification_news_not_sent, the order's code and notification_once.
MAILS = """
    SELECT n.id::text AS key, n.created_at AS since, n.created_at AS last_at, o.id AS order_id, 1::bigint AS jobs
      FROM (SELECT id, subject, kind, occurrence, created_at FROM notifications_notification
             WHERE channel = 'email' AND status IN ('failed', 'bounced', 'complained')
            UNION ALL
            SELECT id, subject, kind, occurrence, created_at FROM notifications_notification
             WHERE channel = 'email' AND kind = 'show_cancelled' AND status = 'suppressed'
               AND last_error <> %(said_before)s) AS n
     CROSS JOIN LATERAL (SELECT id, show_id FROM boxoffice_order WHERE code = substr(n.subject, 7) OFFSET 0) AS o
      JOIN inventory_show AS s ON s.id = o.show_id
     WHERE starts_with(n.subject, 'order:')
       AND (%(key)s::text IS NULL OR n.id::text = %(key)s)
       AND s.starts_at > jobs_now() - interval '1 day'
       AND NOT EXISTS (SELECT FROM notifications_notification AS newer
                        WHERE newer.subject = n.subject AND newer.id > n.id AND newer.channel = 'email'
                          AND newer.status IN ('failed', 'bounced', 'complained'))
       AND NOT EXISTS (SELECT FROM notifications_notification AS again
                        WHERE again.subject = n.subject AND again.kind = n.kind AND again.channel = 'email'
                          AND split_part(again.occurrence, '#', 1) = split_part(n.occurrence, '#', 1)
                          AND again.id > n.id)
       AND NOT EXISTS (SELECT FROM notifications_notification AS news
                        WHERE news.subject = n.subject AND news.kind = %(last_news)s AND news.channel = 'email'
                          AND news.id > n.id)
"""

# Those that wait for our answer, the most urgent first, by dispute_waits_for_us. What was settled counts again once the
# dispute stands otherwise. An inquiry is answered once all was given back; a dispute is not, since the bank must be
# shown that.
DISPUTES = """
    SELECT d.id::text AS key, d.opened_at AS since, d.changed_at AS last_at, p.order_id, 1::bigint AS jobs
      FROM boxoffice_dispute AS d JOIN boxoffice_payment AS p ON p.id = d.payment_id
     WHERE d.status IN ('warning_needs_response', 'needs_response', 'appeal_needs_response')
       AND NOT (d.status = 'warning_needs_response'
                AND p.amount <= (SELECT coalesce(sum(amount), 0) FROM boxoffice_refund
                                  WHERE payment_id = p.id AND status = 'succeeded'))
"""

# By asked_attention_open.
ASKED = """
    SELECT id::text AS key, asked_at AS since, asked_at AS last_at, order_id, 1::bigint AS jobs
      FROM boxoffice_askedattention WHERE settled_at IS NULL
"""

# By schedule_by_next_run.
SCHEDULES = """
    SELECT s.periodic_task_id::text AS key, s.next_run_at AS since, s.next_run_at AS last_at, NULL::bigint AS order_id,
           1::bigint AS jobs
      FROM jobs_schedule AS s JOIN django_celery_beat_periodictask AS t ON t.id = s.periodic_task_id
     WHERE t.enabled AND s.next_run_at < jobs_now() - %(schedule_late_after)s * interval '1 second'
"""

# A row for each queue, as a relay measured it (``jobs/flow/load.py``). What somebody has paused is late on purpose.
# Where nobody measures any more, what was due then is taken to be due still.
PROMISES = """
    SELECT l.queue AS key, l.at - (l.oldest_seconds - promised.seconds) * interval '1 second' AS since,
           l.at AS last_at, NULL::bigint AS order_id, 1::bigint AS jobs
      FROM jobs_queueload AS l
      JOIN unnest(%(promised_queues)s::text[], %(promised_seconds)s::float8[]) AS promised (queue, seconds)
        ON promised.queue = l.queue
     WHERE (l.oldest_seconds > promised.seconds
            OR l.oldest_seconds > 0 AND l.at < jobs_now() - %(load_stale_after)s * interval '1 second'
               AND l.at - l.oldest_seconds * interval '1 second' < jobs_now() - promised.seconds * interval '1 second')
       AND NOT EXISTS (SELECT FROM jobs_pause AS p WHERE p.kind = 'queue' AND p.name = l.queue)
"""

MOST_LISTED = 2_000
"""Of one kind, where the orders behind the items are asked for: nobody goes through more of a list."""

PARAMETERS: dict[str, Any] = {
    "tickets_late_after": LATE_AFTER,
    "pending_too_long": PENDING_TOO_LONG,
    "schedule_late_after": LATE_SECONDS,
    "promised_queues": [queue.name for queue in all_queues()],
    "promised_seconds": [float(queue.promise_seconds) for queue in all_queues()],
    "load_stale_after": STALE_SECONDS,
    "whose": "",
    "user": "",
    "last_news": show_cancelled.KIND,
    "said_before": show_cancelled.NOT_CANCELLED,
    "key": None,
    "most": MOST_LISTED,
}


@dataclass(frozen=True)
class Kind:
    """One kind.

    permission: who can mend it, and so sees it. can_settle: whether somebody may say that it is settled though its
    cause stays; elsewhere mending it is the only way.
    """

    name: str
    label: str | Promise
    permission: str
    rows: str
    can_settle: bool = False


KINDS = (
    Kind("tickets", _("Paid without tickets"), "tickets.view_ticket", TICKETS),
    Kind("refunds", _("Refunds"), "boxoffice.refund_order", REFUNDS, can_settle=True),
    Kind("disputes", _("Disputes"), "boxoffice.view_dispute", DISPUTES, can_settle=True),
    Kind("cancellations", _("Cancelled shows"), "boxoffice.cancel_show", CANCELLATIONS),
    Kind("payments", _("Payments that differ"), "boxoffice.refund_order", PAYMENTS, can_settle=True),
    Kind("asked", _("Messages"), "boxoffice.view_askedattention", ASKED, can_settle=True),
    Kind("mails", _("Mails that did not arrive"), "notifications.add_messageaction", MAILS, can_settle=True),
    Kind("dead_jobs", _("Dead jobs"), "jobs.view_deadjob", DEAD_JOBS),
    Kind("schedules", _("Late schedules"), "django_celery_beat.change_periodictask", SCHEDULES),
    Kind("promises", _("Queues that are late"), "jobs.pause_queue", PROMISES),
)


def kind_named(name: str) -> Kind | None:
    """The kind of this name."""
    return next((kind for kind in KINDS if kind.name == name), None)


def kinds_for(user: Any) -> list[Kind]:
    """The kinds that this user can mend."""
    return [kind for kind in KINDS if user.has_perm(kind.permission)]


# The open items of one kind, until as many are found as are wanted: a day on which thousands of mails bounce must not
# make every page of the desk wait. An owner counts while the cause that he took is there. By attention_once.
OPEN = """
    (SELECT '{name}'::text AS kind, left(c.key, 400) AS key, c.since, c.order_id, c.jobs,
            CASE WHEN a.taken_at >= c.since THEN a.owner ELSE '' END AS owner, a.taken_at
       FROM ({rows}) AS c LEFT JOIN boxoffice_attention AS a ON a.kind = '{name}' AND a.key = left(c.key, 400)
      WHERE (a.settled_at IS NULL OR a.settled_at < c.last_at)
        AND (%(key)s::text IS NULL OR left(c.key, 400) = %(key)s)
        AND (%(whose)s = '' OR %(whose)s = 'nobody' AND (a.taken_at < c.since OR coalesce(a.owner, '') = '')
             OR %(whose)s = 'mine' AND a.taken_at >= c.since AND a.owner = %(user)s)
      LIMIT %(most)s)
"""


def open_items(kinds: Iterable[Kind]) -> str:
    """One statement of the open items, as kind, key, since, order_id, jobs, owner, taken_at: ``most`` of each kind."""
    return " UNION ALL ".join(OPEN.replace("{name}", kind.name).replace("{rows}", kind.rows) for kind in kinds)
