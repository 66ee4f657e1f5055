"""The job that waits for the opening of a show's sale.

Guarantee: once committed, each opening that is still to be announced has its job at the right time, wherever the
opening was moved to and whatever became of an earlier job. The sale itself waits for none of this (I11).
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction

from inventory.models.show import subject_of
from jobs.enqueue import enqueue
from jobs.new_job import require_transaction
from jobs.reschedule import reschedule

# An opening is announced once: told since its instant. A sale that is moved on and opens again is announced again, also
# at an instant that it had before: what was announced while it was open last is forgotten here, while it is closed.
# Fans share the lock; who moves the opening waits for it, or has it wait for him. By primary key and sale_opening_once.
OPENING_TO_ANNOUNCE = """
    WITH opening AS MATERIALIZED (
        SELECT id, on_sale_at FROM inventory_show AS show
         WHERE id = %(show_id)s AND status = 'scheduled' AND starts_at > jobs_now()
           AND NOT EXISTS (SELECT 1 FROM inventory_saleopening
                           WHERE show_id = show.id AND announced_at >= show.on_sale_at)
           FOR SHARE
    ), forgotten AS (
        DELETE FROM inventory_saleopening USING opening
         WHERE show_id = opening.id AND opening.on_sale_at > jobs_now() AND announced_at <= jobs_now()
    )
    SELECT on_sale_at FROM opening
"""

# Openings to announce for which no job waits at their time, whoever changed the rows. By show_by_start, of which only
# what is to come is read, and job_one_waits_per_unique_key.
SHOWS_WITHOUT_JOB = """
    SELECT id FROM inventory_show AS show
     WHERE status = 'scheduled' AND starts_at > jobs_now()
       AND NOT EXISTS (SELECT 1 FROM inventory_saleopening
                       WHERE show_id = show.id AND announced_at >= show.on_sale_at)
       AND NOT EXISTS (SELECT 1 FROM jobs_job
                       WHERE unique_key = 'sale_opening:' || show.id AND unique_key <> ''
                         AND state IN ('waiting', 'published') AND available_at = show.on_sale_at)
     ORDER BY id
"""


def plan_sale_opening(*, show_id: int) -> bool:
    """Let one job wait for the show's opening, moving the one that waits for another instant. Requires a transaction.

    False means that there is nothing to announce: the show is not scheduled, has begun or was announced as open. One
    query then; otherwise two, or three where no job waits yet. A job that a worker has in hand already is left to find
    the new instant by itself.
    """
    require_transaction(using="default")
    opening = _opening_to_announce(show_id=show_id)
    if opening is None:
        return False
    key = f"sale_opening:{show_id}"
    if not reschedule(unique_key=key, available_at=opening):
        enqueue(
            task="inventory.open_sale",
            args={"show_id": show_id},
            subject=subject_of(show_id=show_id),
            available_at=opening,
            unique_key=key,
        )
    return True


def plan_sale_openings() -> int:
    """Give every opening its job that lacks one: rows changed by hand, jobs that died. Returns how many it saw to.

    One transaction for each show, so that none is in the others' way.
    """
    with connection.cursor() as cursor:
        cursor.execute(SHOWS_WITHOUT_JOB)
        show_ids = [show_id for (show_id,) in cursor.fetchall()]
    planned = 0
    for show_id in show_ids:
        with transaction.atomic():
            planned += plan_sale_opening(show_id=show_id)
    return planned


def _opening_to_announce(*, show_id: int) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(OPENING_TO_ANNOUNCE, {"show_id": show_id})
        row = cursor.fetchone()
    return None if row is None else row[0]
