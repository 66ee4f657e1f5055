"""The sale of a show has opened: say so, once for each opening.

A show sells from its instant on by itself (see ``conditions.py``); this only tells those who wait for it.
"""

from __future__ import annotations

from django.db import connection

from inventory.events import SaleOpened
from inventory.plan_sale_opening import plan_sale_opening
from jobs.events import publish

# The row count decides who announces: the constraint sale_opening_once lets one of two through. Fans share the lock on
# the show. By primary key.
ANNOUNCE_OPENING = """
    INSERT INTO inventory_saleopening (show_id, on_sale_at)
    SELECT id, on_sale_at FROM inventory_show AS show
     WHERE id = %(show_id)s AND status = 'scheduled' AND on_sale_at <= jobs_now() AND starts_at > jobs_now()
       AND NOT EXISTS (SELECT 1 FROM inventory_saleopening
                       WHERE show_id = show.id AND announced_at >= show.on_sale_at)
       FOR SHARE
    ON CONFLICT (show_id, on_sale_at) DO NOTHING
    RETURNING on_sale_at, announced_at
"""

# A draft that is put on sale after its instant: nobody has seen it closed. By primary key.
NOTE_OPEN_FROM_THE_START = """
    INSERT INTO inventory_saleopening (show_id, on_sale_at)
    SELECT id, on_sale_at FROM inventory_show
     WHERE id = %(show_id)s AND status = 'draft' AND on_sale_at <= jobs_now()
       FOR NO KEY UPDATE
    ON CONFLICT (show_id, on_sale_at) DO NOTHING
"""

# Of a show that is postponed, whose row is locked. By sale_opening_once.
FORGET_OPENINGS = "DELETE FROM inventory_saleopening WHERE show_id = %(show_id)s"


def open_sale(*, show_id: int) -> bool:
    """Publish SaleOpened if the sale is open and was not announced; returns whether it did. Requires a transaction.

    An opening that was moved on meanwhile gets its job again. Nothing happens for a show that was postponed or
    cancelled, has begun, or was announced already.
    """
    with connection.cursor() as cursor:
        cursor.execute(ANNOUNCE_OPENING, {"show_id": show_id})
        row = cursor.fetchone()
    if row is None:
        plan_sale_opening(show_id=show_id)
        return False
    on_sale_at, announced_at = (instant.isoformat() for instant in row)
    publish(SaleOpened(show_id=show_id, on_sale_at=on_sale_at, announced_at=announced_at))
    return True


def note_open_from_the_start(*, show_id: int) -> None:
    """Have no opening announced for a draft that sells as soon as it is scheduled. Requires a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE_OPEN_FROM_THE_START, {"show_id": show_id})


def forget_openings(*, show_id: int) -> None:
    """Have the sale of a postponed show announced again when it goes on: what was announced is not so any more.

    Belongs into the transaction that postpones it.
    """
    with connection.cursor() as cursor:
        cursor.execute(FORGET_OPENINGS, {"show_id": show_id})
