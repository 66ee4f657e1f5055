"""Has the sales of a show counted anew, soon after they have changed.

Guarantee: a change that has committed is counted, whatever dies: its mark (Note [Marks of sales]) was committed with
it, and ``count_what_was_left`` looks for marks every half minute. Where tickets were made for what was sold, the job
that plans their mail asks at once; no fan waits for that, and no sale.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction

from inventory.models.show import subject_of
from jobs.enqueue import enqueue
from jobs.new_job import require_transaction

DELAY_SECONDS = 2.0
"""In a rush a show is counted once in this time and not for every sale."""

PRIORITY = 7
"""After whatever a fan waits for, and after the list of shows."""

# The show of the order, unless a count waits that has not begun: it will see whatever was committed before our look.
# By primary key, sales_change_by_show and job_one_waits_per_unique_key.
SHOW_OF_ORDER = """
    SELECT o.show_id, jobs_now() + %(delay)s * interval '1 second' FROM boxoffice_order AS o
     WHERE o.id = %(order_id)s
       AND EXISTS (SELECT 1 FROM boxoffice_saleschange WHERE show_id = o.show_id)
       AND NOT EXISTS (SELECT 1 FROM jobs_job WHERE unique_key = 'sales:' || o.show_id AND unique_key <> ''
                          AND state IN ('waiting', 'published'))
"""

# Shows with marks, shows that nobody has counted, and those whose seats were held, freed or put aside two minutes or
# longer after they were counted, which moves no money and leaves no mark here. Small tables: one row for each show.
LEFT_OVER = """
    WITH left_over AS (
        SELECT show_id FROM boxoffice_saleschange
        UNION
        SELECT show.id FROM inventory_show AS show
          LEFT JOIN boxoffice_salescount AS counted ON counted.show_id = show.id
          LEFT JOIN inventory_availability AS free ON free.show_id = show.id
         WHERE counted.show_id IS NULL
            OR counted.as_of < free.as_of AND counted.as_of < jobs_now() - interval '2 minutes'
    )
    SELECT show_id FROM left_over
     WHERE NOT EXISTS (SELECT 1 FROM jobs_job WHERE unique_key = 'sales:' || show_id AND unique_key <> ''
                          AND state IN ('waiting', 'published'))
     ORDER BY show_id
     LIMIT %(at_most)s
"""

AT_ONCE = 200
"""Of shows, in one run: some seconds of one worker. The rest comes with the next run."""


def ask_for_count(*, order_id: int) -> bool:
    """Have the show of this order counted if something of it was not. Part of the caller's transaction; whether a job
    was enqueued. One query, and one more then.
    """
    require_transaction(using="default")
    with connection.cursor() as cursor:
        cursor.execute(SHOW_OF_ORDER, {"order_id": order_id, "delay": DELAY_SECONDS})
        row: tuple[int, datetime] | None = cursor.fetchone()
    if row is None:
        return False
    _enqueue(row[0], available_at=row[1])
    return True


def count_what_was_left() -> int:
    """Have counted what nobody has asked for: returns for how many shows. Opens its own transaction."""
    with connection.cursor() as cursor:
        cursor.execute(LEFT_OVER, {"at_most": AT_ONCE})
        show_ids = [show_id for (show_id,) in cursor.fetchall()]
    with transaction.atomic():
        for show_id in show_ids:
            _enqueue(show_id, available_at=None)
    return len(show_ids)


def _enqueue(show_id: int, *, available_at: datetime | None) -> None:
    enqueue(
        task="boxoffice.count_sales",
        args={"show_id": show_id},
        subject=subject_of(show_id=show_id),
        priority=PRIORITY,
        available_at=available_at,
        unique_key=f"sales:{show_id}",
    )
