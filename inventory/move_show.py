"""Moving a show to another date and time; one that was postponed is scheduled again by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.transaction import TransactionManagementError
from django.utils.translation import gettext as _

from inventory.errors import ShowRefused, TransitionRefused, UnknownShow
from inventory.models import Show
from inventory.plan_sale_opening import plan_sale_opening
from inventory.statements import rows_of
from jobs.clock import database_now

# scheduled → scheduled and postponed → scheduled, where nothing of the show has changed since it was looked at. Who
# takes seats of it at this moment shares a lock on the row, and is waited for. By primary key.
MOVE_SHOW = """
    WITH was AS (
        SELECT id, starts_at, status FROM inventory_show
         WHERE id = %(show_id)s AND version = %(seen)s AND status IN ('scheduled', 'postponed')
           FOR NO KEY UPDATE
    )
    UPDATE inventory_show AS show
       SET starts_at = %(starts_at)s, doors_at = %(doors_at)s, status = 'scheduled', version = show.version + 1
      FROM was
     WHERE show.id = was.id AND was.starts_at <> %(starts_at)s
       AND %(starts_at)s > jobs_now() AND show.on_sale_at < %(starts_at)s
    RETURNING was.starts_at, was.status, show.version
"""


@dataclass(frozen=True)
class MovedShow:
    """When it was to start, whether it was postponed, and the version that it has now."""

    starts_at: datetime
    was_postponed: bool
    version: int


def move_show(*, show_id: int, seen: int, starts_at: datetime, doors_at: datetime | None = None) -> MovedShow:
    """Let a scheduled or postponed show take place at another time, from now on; it is scheduled then.

    seen: the show's version when somebody looked at it: sent twice it is moved once. starts_at, doors_at: with their
    time zone; the doors open as long before the start as they were to, unless said otherwise. The sale ends with the
    new start and opens when it was to; holds, orders and tickets stay. The job that announces the opening moves along.

    Part of the caller's transaction, who tells the holders. Raises UnknownShow, ShowRefused (the sentence says which
    instant is wrong), TransitionRefused (drafts are changed in their form, what is over or cancelled stays; or it has
    changed meanwhile), and TransactionManagementError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("Move a show inside the transaction that has its holders told.")
    if starts_at.tzinfo is None or (doors_at is not None and doors_at.tzinfo is None):
        raise ValueError("Give the instants with their time zone.")
    show = Show.objects.filter(pk=show_id).first()
    if show is None:
        raise UnknownShow
    if show.version != seen:
        raise TransitionRefused
    doors = check_move(show=show, starts_at=starts_at, doors_at=doors_at)
    rows = rows_of(MOVE_SHOW, show_id=show_id, seen=seen, starts_at=starts_at, doors_at=doors)
    if not rows:
        raise TransitionRefused
    earlier_start, status, version = rows[0]
    plan_sale_opening(show_id=show_id)
    return MovedShow(starts_at=earlier_start, was_postponed=status == Show.Status.POSTPONED, version=version)


def check_move(*, show: Show, starts_at: datetime, doors_at: datetime | None) -> datetime:
    """When the doors then open, where the show could be moved so now. Raises ShowRefused. One query.

    For a page that asks before; the service decides.
    """
    doors = doors_at or starts_at - (show.starts_at - show.doors_at)
    if starts_at == show.starts_at:
        raise ShowRefused(_("That is when it starts already. Type another time."))
    if starts_at <= database_now():
        raise ShowRefused(_("The new start has passed already. Type one that is to come."))
    if doors > starts_at:
        raise ShowRefused(_sentence_of("show_doors_open_before_it_starts"))
    if show.on_sale_at >= starts_at:
        raise ShowRefused(_sentence_of("show_sells_before_it_starts"))
    return doors


def _sentence_of(constraint: str) -> str:
    constraints = {each.name: each for each in Show._meta.constraints}
    return str(constraints[constraint].violation_error_message)
