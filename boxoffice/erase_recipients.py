"""Mail addresses in notifications, and in what staff did about them, leave some time after the show.

The rows stay: an order's page and its story still say what was sent when, and nobody is told twice. Addresses of those
who asked to be told of a sale go sooner (``erase_sale_alerts``).
"""

from __future__ import annotations

import time

import structlog
from django.db import DEFAULT_DB_ALIAS, transaction

from boxoffice.messages import KINDS, KINDS_FOR_EACH_TIME, KINDS_FOR_MANY
from jobs.append_only import erasing
from jobs.batches import BATCH
from jobs.session import run
from notifications.erased_recipient import FINGERPRINT, erasing_secret

log = structlog.get_logger(__name__)

AFTER_THE_SHOW_DAYS = 400
"""Last year's show: until then a fan may ask where his mail went, as long as the history and the scans can say it."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit: a million rows. The next night goes on with what is left."""

# One page of a kind, oldest first: of what was written so long ago, what is about a show that is long over. A show that
# is postponed has no date yet. What a job still waits to send is left to it. By notification_with_address, the unique
# code of orders and the primary keys.
ERASE_PAGE = """
    WITH page AS (
        SELECT id, subject, created_at < jobs_now() - %(days)s * interval '1 day' AS is_old
          FROM notifications_notification
         WHERE kind = %(kind)s AND channel = 'email' AND recipient NOT LIKE 'erased:%%' AND id > %(after)s
         ORDER BY id LIMIT %(batch)s
    ), erased AS (
        UPDATE notifications_notification AS told SET recipient = {fingerprint}
         WHERE told.id = ANY(ARRAY(
            SELECT kept.id FROM notifications_notification AS kept JOIN page ON page.id = kept.id AND page.is_old
              LEFT JOIN boxoffice_order AS o
                ON page.subject LIKE 'order:%%' AND o.code = substr(page.subject, length('order:') + 1)
              LEFT JOIN inventory_show AS s ON s.id = coalesce(o.show_id,
                   CASE WHEN page.subject ~ '^show:[0-9]+$' THEN substr(page.subject, length('show:') + 1)::bigint END)
             WHERE kept.status <> 'queued'
               AND (s.id IS NULL
                    OR s.status <> 'postponed' AND s.starts_at < jobs_now() - %(days)s * interval '1 day')
               FOR UPDATE OF kept SKIP LOCKED
         ))
        RETURNING id
    )
    SELECT (SELECT max(id) FROM page WHERE is_old), (SELECT count(*) FROM erased)
"""

# The trail keeps who did what, when and why. Staff write each of its rows by hand: there are few, and all are read.
ERASE_FROM_TRAIL = """
    UPDATE notifications_messageaction AS done SET recipient = '', earlier_recipient = ''
      FROM boxoffice_order AS o JOIN inventory_show AS s ON s.id = o.show_id
     WHERE done.recipient <> '' AND done.subject LIKE 'order:%%' AND o.code = substr(done.subject, length('order:') + 1)
       AND done.at < jobs_now() - %(days)s * interval '1 day'
       AND s.status <> 'postponed' AND s.starts_at < jobs_now() - %(days)s * interval '1 day'
    RETURNING done.id
"""


def erase_recipients(*, seconds: float = LONGEST_SECONDS) -> int:
    """Erase the mail addresses of what was told about shows that are long over, for at most about ``seconds``; return
    of how many notifications.

    Commits after each page and rests as long as it has taken. Safe beside itself. Not inside a transaction.
    """
    until = time.monotonic() + seconds
    with transaction.atomic(), erasing():
        run(DEFAULT_DB_ALIAS, ERASE_FROM_TRAIL, {"days": AFTER_THE_SHOW_DAYS})
    kinds = sorted({*KINDS, *KINDS_FOR_EACH_TIME, *KINDS_FOR_MANY})
    erased = sum(_erase_kind(kind, until=until) for kind in kinds)
    log.info("recipients_erased", notifications=erased)
    return erased


def _erase_kind(kind: str, *, until: float) -> int:
    """Walk through what was told of this kind until what is younger; return how many addresses were erased."""
    values = {"kind": kind, "days": AFTER_THE_SHOW_DAYS, "batch": BATCH, "erasing_secret": erasing_secret()}
    statement = ERASE_PAGE.format(fingerprint=FINGERPRINT)
    erased, after = 0, 0
    while (started := time.monotonic()) < until:
        ((last, count),) = run(DEFAULT_DB_ALIAS, statement, {**values, "after": after})
        if last is None:
            break
        erased, after = erased + count, last
        time.sleep(time.monotonic() - started)
    return erased
