"""The addresses of browsers are kept no longer than there is something to tell them.

What a push service says is gone has gone at once (``notifications.channels.push.forget``); this is the rest.
"""

from __future__ import annotations

import time

import structlog
from django.db import DEFAULT_DB_ALIAS

from boxoffice.models.order import subject_of
from jobs.batches import BATCH
from jobs.session import run

log = structlog.get_logger(__name__)

AFTER_THE_SHOW_DAYS = 30
"""Until then money may still go back, and its buyer is told so."""

REFUSED_DAYS = 14
"""A refusal may be our own mistake, such as another key by accident, and is mended within that time or never."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit: thousands of batches."""

# One page by the primary key: those of orders whose show is long over or that are no more, and those whose last message
# was refused and that were told nothing since. A show that is postponed has no date yet. Who subscribes again just now
# has locked his row, and keeps it. By the unique code of orders and notification_once.
ERASE_PAGE = """
    WITH page AS (
        SELECT id, subject, created_at, last_error FROM notifications_pushsubscription
         WHERE id > %(after)s ORDER BY id LIMIT %(batch)s
    ), gone AS (
        DELETE FROM notifications_pushsubscription WHERE id = ANY(ARRAY(
            SELECT kept.id FROM notifications_pushsubscription AS kept JOIN page ON page.id = kept.id
              LEFT JOIN boxoffice_order AS o ON o.code = substr(page.subject, length(%(about)s) + 1)
              LEFT JOIN inventory_show AS s ON s.id = o.show_id
             WHERE (page.subject LIKE %(about)s || '%%'
                    AND (o.id IS NULL
                         OR (s.status <> 'postponed'
                             AND s.starts_at < jobs_now() - %(over_days)s * interval '1 day')))
                OR (kept.last_error <> ''
                    AND kept.created_at < jobs_now() - %(refused_days)s * interval '1 day'
                    AND NOT EXISTS (SELECT FROM notifications_notification AS told
                                     WHERE told.subject = page.subject AND told.recipient = 'push:' || page.id
                                       AND told.created_at >= jobs_now() - %(refused_days)s * interval '1 day'))
               FOR UPDATE OF kept SKIP LOCKED
        ))
        RETURNING id
    )
    SELECT (SELECT max(id) FROM page), (SELECT count(*) FROM gone)
"""


def erase_push_subscriptions(*, seconds: float = LONGEST_SECONDS) -> int:
    """Erase the subscriptions that nothing more will be told, for at most about ``seconds``; return how many.

    Commits after each page and rests as long as it has taken. Safe beside itself. Not inside a transaction.
    """
    until = time.monotonic() + seconds
    values = {
        "about": subject_of(code=""),
        "over_days": AFTER_THE_SHOW_DAYS,
        "refused_days": REFUSED_DAYS,
        "batch": BATCH,
    }
    erased, after = 0, 0
    while (started := time.monotonic()) < until:
        ((last, gone),) = run(DEFAULT_DB_ALIAS, ERASE_PAGE, {**values, "after": after})
        if last is None:
            break
        erased, after = erased + gone, last
        time.sleep(time.monotonic() - started)
    log.info("push_subscriptions_erased", subscriptions=erased)
    return erased
