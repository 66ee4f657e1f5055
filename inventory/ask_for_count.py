"""Has the free seats of a show counted anew, soon after they have changed.

Guarantee: a change that has committed is counted, whatever dies. Its mark (Note [Marks]) was committed with it. Right
after the commit a look shows whether a count waits that has not begun: what it will see includes the change, since it
begins later than the look. Only where none waits a job is enqueued. Should the process end between the two, the mark
is still there, and ``count_what_was_left`` finds it.

So no fan waits for another's transaction: the look locks nothing, and what is enqueued is a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.db import DEFAULT_DB_ALIAS, connection, transaction

from inventory.models.show import subject_of
from jobs.enqueue import enqueue
from jobs.prepared import prepared_cursor

DELAY_SECONDS = 1.0
"""In a rush a show is counted once in this time and not for every sale. A part of what the list may lag."""

PRIORITY = 6
"""After whatever a fan waits for; before the ends of holds, whose seats can be taken anyway."""

# Those whose changes nobody has counted and for which no count waits, with the time for it. By seat_change_by_show and
# job_one_waits_per_unique_key.
SHOWS_TO_COUNT = """
    SELECT show.id, jobs_now() + %(delay)s * interval '1 second' FROM unnest(%(show_ids)s::bigint[]) AS show (id)
     WHERE EXISTS (SELECT 1 FROM inventory_seatchange WHERE show_id = show.id)
       AND NOT EXISTS (SELECT 1 FROM jobs_job
                       WHERE unique_key = 'availability:' || show.id AND unique_key <> ''
                         AND state IN ('waiting', 'published'))
     ORDER BY show.id
"""

# Marks that have lain for longer than a count takes, shows that were never counted, and some of those that nobody has
# counted for a day: what was changed by hand leaves no mark. Small tables, and show_by_start.
LEFT_OVER = """
    WITH left_over AS (
        SELECT show_id FROM inventory_seatchange WHERE at < jobs_now() - interval '5 seconds'
        UNION
        (SELECT show.id FROM inventory_show AS show
           LEFT JOIN inventory_availability AS counted ON counted.show_id = show.id
          WHERE show.starts_at > jobs_now() AND coalesce(counted.as_of, '-infinity') < jobs_now() - interval '1 day'
          ORDER BY counted.as_of NULLS FIRST LIMIT %(at_most)s)
    )
    SELECT show_id FROM left_over
     WHERE NOT EXISTS (SELECT 1 FROM jobs_job
                       WHERE unique_key = 'availability:' || show_id AND unique_key <> ''
                         AND state IN ('waiting', 'published'))
     ORDER BY show_id
"""

OLD_COUNTS_AT_ONCE = 100
"""Of those a day old, in one run: a few hundred milliseconds of workers, and thousands of shows in an hour."""


def ask_for_count(*, show_ids: Iterable[int]) -> None:
    """Have these shows counted once this transaction has committed. One query then, and an enqueueing where none waits.

    A failure is logged and does not reach the caller: his change has committed, and its mark is found again.
    """
    if wanted := list(show_ids):
        transaction.on_commit(partial(_enqueue_where_none_waits, wanted), robust=True)


def count_what_was_left() -> int:
    """Have counted what fell through: returns for how many shows. Opens its own transaction."""
    with connection.cursor() as cursor:
        cursor.execute(LEFT_OVER, {"at_most": OLD_COUNTS_AT_ONCE})
        show_ids = [show_id for (show_id,) in cursor.fetchall()]
    with transaction.atomic():
        for show_id in show_ids:
            _enqueue(show_id, available_at=None)
    return len(show_ids)


def _enqueue_where_none_waits(show_ids: list[int]) -> None:
    with prepared_cursor(using=DEFAULT_DB_ALIAS) as cursor:
        cursor.execute(SHOWS_TO_COUNT, {"show_ids": show_ids, "delay": DELAY_SECONDS})
        to_count = cursor.fetchall()
    if to_count:
        with transaction.atomic():
            for show_id, soon in to_count:
                _enqueue(show_id, available_at=soon)


def _enqueue(show_id: int, *, available_at: datetime | None) -> None:
    enqueue(
        task="inventory.count_free_seats",
        args={"show_id": show_id},
        subject=subject_of(show_id=show_id),
        priority=PRIORITY,
        available_at=available_at,
        unique_key=f"availability:{show_id}",
    )
