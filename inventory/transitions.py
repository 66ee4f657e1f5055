"""Every change of state of a show, a hold or a seat: one conditional UPDATE each, and its row count decides.

All functions need an open transaction; the service that calls them owns it.

Note [Order of locks]: every path locks the show, then holds by id, then seats by id, and leaves out what it does not
need. Rows are locked by a sorted SELECT before they are updated, since an UPDATE of many rows visits them in any
order. The sweeper takes holds in the order of expiry, which is safe because it never waits for one (SKIP LOCKED).
The locks are FOR NO KEY UPDATE: they do not get in the way of foreign keys that point to the row.

Note [Lapsed holds]: a hold whose time has run out is void though its row still says active. Whoever wants one of
its seats first expires it here, with all of its seats, in the same transaction.

Note [Marks]: a statement by which seats become free or cease to be marks their shows in the same breath, by a row that
it appends to inventory_seatchange; so no change can be forgotten by the counts of free seats, and nobody waits for
anybody. Enqueueing the count itself here, by its unique key, would have all sales of a show wait for each other's
commit at the row of that one job. After the commit the count is asked for (``ask_for_count``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from inventory.ask_for_count import ask_for_count
from inventory.models import Hold, Seat, Show
from inventory.statements import count_of, rows_of

# Keeps a show from being cancelled or moved between our look at it and our commit. Fans share the lock. The condition
# is that of conditions.show_sells. By primary key.
LOCK_SHOW_ON_SALE = """
    SELECT id FROM inventory_show
     WHERE id = %(show_id)s AND status = 'scheduled' AND on_sale_at <= jobs_now() AND starts_at > jobs_now()
       FOR SHARE
"""

# For what was sold already, or is just being sold: whether the show will still take place, which then stays so until
# the transaction ends. By primary key.
LOCK_SHOW_THAT_TAKES_PLACE = """
    SELECT id FROM inventory_show WHERE id = %(show_id)s AND status IN ('scheduled', 'postponed') FOR SHARE
"""

# For what says when the show is: as it was read, which then stays so until the transaction ends. By primary key.
LOCK_SHOW_AS_SEEN = """
    SELECT id FROM inventory_show WHERE id = %(show_id)s AND version = %(version)s FOR SHARE
"""

# See Note [Lapsed holds]. By primary key.
LOCK_LAPSED_HOLDS = """
    SELECT id FROM inventory_hold
     WHERE id = ANY(%(hold_ids)s::bigint[]) AND status = 'active' AND expires_at <= jobs_now()
     ORDER BY id
       FOR NO KEY UPDATE
"""

# The same, and the hold that a browser has of the show beside them. By primary key, and hold_one_active_per_browser.
LOCK_HOLDS_IN_THE_WAY = """
    SELECT id, expires_at <= jobs_now() AS has_lapsed, ordered_at IS NOT NULL AS is_ordered FROM inventory_hold
     WHERE status = 'active'
       AND (id = ANY(%(hold_ids)s::bigint[]) AND expires_at <= jobs_now()
            OR show_id = %(show_id)s AND holder = %(holder)s)
     ORDER BY id
       FOR NO KEY UPDATE
"""

# For the job of one hold, which waits for whoever is busy with it: what it then reads is how things stand. By primary
# key.
LOCK_ACTIVE_HOLD = """
    SELECT id, expires_at, expires_at <= jobs_now() AS has_lapsed FROM inventory_hold
     WHERE id = %(hold_id)s AND status = 'active'
       FOR NO KEY UPDATE
"""

# The longest lapsed ones first; those that somebody is buying, taking or sweeping just now are left to him. It begins
# where the last batch ended: while a transaction elsewhere stays open, PostgreSQL cannot forget the entries of what
# was expired, and would read past all of them each time. By the partial index hold_active_by_expiry.
LOCK_LAPSED_BATCH = """
    SELECT id, expires_at FROM inventory_hold
     WHERE status = 'active' AND expires_at <= jobs_now()
       AND expires_at >= coalesce(%(after)s::timestamptz, '-infinity') AND id <> ALL(%(except_ids)s::bigint[])
     ORDER BY expires_at
     LIMIT %(limit)s
       FOR NO KEY UPDATE SKIP LOCKED
"""

# The chosen seats, and all seats of the holds that are about to be expired. Returns the rows as they are once they
# are locked, which may be newer than what was read before. By primary key and seat_by_hold.
LOCK_SEATS = """
    SELECT id, status, hold_id FROM inventory_seat
     WHERE id = ANY(%(seat_ids)s::bigint[]) OR hold_id = ANY(%(hold_ids)s::bigint[])
     ORDER BY id
       FOR NO KEY UPDATE
"""

# The same for whoever has an alternative: seats that somebody else is busy with are left out. By primary key.
LOCK_SEATS_NOBODY_IS_BUSY_WITH = """
    SELECT id, status, hold_id FROM inventory_seat
     WHERE id = ANY(%(seat_ids)s::bigint[])
     ORDER BY id
       FOR NO KEY UPDATE SKIP LOCKED
"""

# The prices are those of this moment, in the order of the seats. By the primary keys. Of two of a browser that come at
# once the second waits here for the first, and then is none.
START_HOLD = """
    INSERT INTO inventory_hold (show_id, token, seat_ids, prices, currency, status, expires_at, created_at,
                                holder, follows_id)
    SELECT show.id, %(token)s, %(seat_ids)s::bigint[],
           coalesce(%(prices)s::bigint[], ARRAY(
               SELECT tier.price
                 FROM unnest(%(seat_ids)s::bigint[]) WITH ORDINALITY AS chosen (id, place)
                 JOIN inventory_seat AS seat ON seat.id = chosen.id
                 JOIN inventory_pricetier AS tier ON tier.id = seat.tier_id
                ORDER BY chosen.place
           )),
           show.currency, 'active', jobs_now() + %(duration)s, jobs_now(), %(holder)s, %(follows_id)s
      FROM inventory_show AS show WHERE show.id = %(show_id)s
    ON CONFLICT (show_id, holder) WHERE status = 'active' AND holder IS NOT NULL DO NOTHING
    RETURNING id, show_id, token, seat_ids, prices, currency, status, expires_at, created_at, extended_at, left_at,
              ordered_at, holder, follows_id
"""

# See Note [Marks]. Stands behind a step ``changed`` that returns the show of each seat.
MARK_SHOWS = """
    marked AS (
        INSERT INTO inventory_seatchange (show_id, at) SELECT DISTINCT show_id, jobs_now() FROM changed
    )
    SELECT show_id, count(*) FROM changed GROUP BY show_id
"""

# The seats are locked already. By primary key.
TAKE_SEATS = f"""
    WITH changed AS (
        UPDATE inventory_seat
           SET status = 'held', hold_id = %(hold_id)s, version = version + 1
         WHERE id = ANY(%(seat_ids)s::bigint[]) AND show_id = %(show_id)s AND status = 'available'
        RETURNING show_id
    ), {MARK_SHOWS}
"""  # noqa: S608 - a constant

# By primary key.
CONFIRM_HOLD = """
    UPDATE inventory_hold SET status = 'confirmed'
     WHERE id = %(hold_id)s AND status = 'active' AND expires_at > jobs_now()
    RETURNING cardinality(seat_ids)
"""

# By seat_by_hold. See Note [Order of locks] for the sorted inner SELECT. No mark: what is sold was not free before.
SELL_SEATS = """
    WITH locked AS MATERIALIZED (
        SELECT id FROM inventory_seat WHERE hold_id = %(hold_id)s ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE inventory_seat AS seat
       SET status = 'sold', version = version + 1
      FROM locked
     WHERE seat.id = locked.id AND seat.hold_id = %(hold_id)s AND seat.status = 'held'
    RETURNING seat.*
"""

# By the unique token. A hold that has lapsed can be released as well: its seats are free either way.
RELEASE_HOLD = """
    UPDATE inventory_hold SET status = 'released'
     WHERE token = %(token)s AND status = 'active'
    RETURNING id
"""

# The holds are locked already. By primary key.
EXPIRE_HOLDS = """
    UPDATE inventory_hold SET status = 'expired'
     WHERE id = ANY(%(hold_ids)s::bigint[]) AND status = 'active' AND expires_at <= jobs_now()
    RETURNING id
"""

# The holds are ended already. By seat_by_hold.
FREE_SEATS = f"""
    WITH locked AS MATERIALIZED (
        SELECT id FROM inventory_seat WHERE hold_id = ANY(%(hold_ids)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
    ), changed AS (
        UPDATE inventory_seat AS seat
           SET status = 'available', hold_id = NULL, version = version + 1
          FROM locked
         WHERE seat.id = locked.id AND seat.hold_id = ANY(%(hold_ids)s::bigint[]) AND seat.status = 'held'
        RETURNING seat.show_id
    ), {MARK_SHOWS}
"""  # noqa: S608 - a constant

# By primary key.
ADVANCE_SHOW = """
    UPDATE inventory_show SET status = %(to)s, version = version + 1
     WHERE id = %(show_id)s AND status = ANY(%(may_come_from)s::text[])
       AND (%(seen)s::int IS NULL OR version = %(seen)s)
"""

# From which states a show may reach each state.
SHOW_MAY_COME_FROM: dict[str, tuple[str, ...]] = {
    Show.Status.SCHEDULED: (Show.Status.DRAFT, Show.Status.POSTPONED),
    Show.Status.POSTPONED: (Show.Status.SCHEDULED,),
    Show.Status.OVER: (Show.Status.SCHEDULED,),
    Show.Status.CANCELLED: (Show.Status.SCHEDULED, Show.Status.POSTPONED),
}


class HasAHold(Exception):
    """This browser holds other seats of the show."""


@dataclass(frozen=True)
class HoldInTheWay:
    """A lapsed hold, or the browser's own one, as it is now that nobody else can change it."""

    id: int
    has_lapsed: bool
    is_ordered: bool


@dataclass(frozen=True)
class LockedSeat:
    """A seat as it is now that nobody else can change it."""

    id: int
    status: str
    hold_id: int | None


@dataclass(frozen=True)
class LockedHold:
    """An active hold as it is now that nobody else can end or extend it."""

    id: int
    expires_at: datetime
    has_lapsed: bool


def lock_show_on_sale(*, show_id: int) -> bool:
    """Whether the show sells now; if so it stays as it is until the transaction ends."""
    return bool(rows_of(LOCK_SHOW_ON_SALE, show_id=show_id))


def lock_show_that_takes_place(*, show_id: int) -> bool:
    """Whether the show will take place, now or later; if so it stays as it is until the transaction ends."""
    return bool(rows_of(LOCK_SHOW_THAT_TAKES_PLACE, show_id=show_id))


def lock_show_as_seen(*, show_id: int, version: int) -> bool:
    """Whether the show is still as it was in this version; if so it stays as it is until the transaction ends."""
    return bool(rows_of(LOCK_SHOW_AS_SEEN, show_id=show_id, version=version))


def lock_lapsed_holds(*, hold_ids: Sequence[int]) -> list[int]:
    """Locks those of the holds that have lapsed and that nobody has ended yet; returns their ids."""
    return [hold_id for (hold_id,) in rows_of(LOCK_LAPSED_HOLDS, hold_ids=list(hold_ids))]


def lock_holds_in_the_way(*, hold_ids: Sequence[int], show_id: int, holder: UUID) -> list[HoldInTheWay]:
    """Locks what ``lock_lapsed_holds`` locks, and the hold that the browser has of the show, lapsed or not."""
    rows = rows_of(LOCK_HOLDS_IN_THE_WAY, hold_ids=list(hold_ids), show_id=show_id, holder=holder)
    return [HoldInTheWay(*row) for row in rows]


def lock_active_hold(*, hold_id: int) -> LockedHold | None:
    """Locks the hold, waiting for whoever is busy with it; None where it has ended."""
    for row in rows_of(LOCK_ACTIVE_HOLD, hold_id=hold_id):
        return LockedHold(*row)
    return None


def lock_lapsed_batch(
    *, limit: int, after: datetime | None = None, except_ids: Sequence[int] = ()
) -> tuple[list[int], datetime | None]:
    """Locks up to ``limit`` lapsed holds that nobody is busy with; returns their ids, and the end of the last one.

    after: the end of the last hold of the batch before; None to begin with the one that lapsed longest ago.
    """
    rows = rows_of(LOCK_LAPSED_BATCH, limit=limit, after=after, except_ids=list(except_ids))
    return [hold_id for hold_id, _ in rows], rows[-1][1] if rows else after


def lock_seats(*, seat_ids: Sequence[int], with_seats_of: Sequence[int] = ()) -> list[LockedSeat]:
    """Locks these seats and all seats of the holds ``with_seats_of``, waiting for whoever is busy with one."""
    rows = rows_of(LOCK_SEATS, seat_ids=list(seat_ids), hold_ids=list(with_seats_of))
    return [LockedSeat(*row) for row in rows]


def lock_seats_nobody_is_busy_with(*, seat_ids: Sequence[int]) -> list[LockedSeat]:
    """Locks those of the seats that can be locked without waiting."""
    return [LockedSeat(*row) for row in rows_of(LOCK_SEATS_NOBODY_IS_BUSY_WITH, seat_ids=list(seat_ids))]


def start_hold(
    *,
    show_id: int,
    seat_ids: Sequence[int],
    duration: timedelta,
    prices: Sequence[int] | None = None,
    holder: UUID | None = None,
    follows: int | None = None,
) -> Hold:
    """A new active hold that ends after ``duration``; its seats are still to be taken.

    prices: of the seats, where they were promised before; those of the tiers when None. holder: the browser that
    takes them. follows: the hold in whose place it comes. Raises HasAHold where the browser has an active one of the
    show, even one that has lapsed.
    """
    values = {
        "show_id": show_id,
        "token": uuid4(),
        "seat_ids": list(seat_ids),
        "prices": None if prices is None else list(prices),
        "duration": duration,
        "holder": holder,
        "follows_id": follows,
    }
    for hold in Hold.objects.raw(START_HOLD, values):
        return hold
    raise HasAHold


def take_seats(*, hold: Hold) -> int:
    """available → held, for the hold's seats; returns how many."""
    return _count_marked(TAKE_SEATS, hold_id=hold.pk, seat_ids=hold.seat_ids, show_id=hold.show_id)


def confirm_hold(*, hold_id: int) -> int | None:
    """active → confirmed, unless it has lapsed; returns how many seats it has, or None where it was refused."""
    for (seats,) in rows_of(CONFIRM_HOLD, hold_id=hold_id):
        return int(seats)
    return None


def sell_seats(*, hold_id: int) -> list[Seat]:
    """held → sold, for the seats of a confirmed hold; returns them in the order of the plan."""
    return sorted(Seat.objects.raw(SELL_SEATS, {"hold_id": hold_id}), key=lambda seat: seat.position)


def release_hold(*, token: UUID) -> int | None:
    """active → released; returns the hold's id, or None where there was nothing to release."""
    for (hold_id,) in rows_of(RELEASE_HOLD, token=token):
        return int(hold_id)
    return None


def expire_holds(*, hold_ids: Sequence[int]) -> list[int]:
    """active → expired, for those of the holds that have lapsed; returns their ids."""
    return [hold_id for (hold_id,) in rows_of(EXPIRE_HOLDS, hold_ids=list(hold_ids))]


def free_seats(*, hold_ids: Sequence[int]) -> int:
    """held → available, for all seats of the holds; returns how many."""
    return _count_marked(FREE_SEATS, hold_ids=list(hold_ids))


def advance_show(*, show_id: int, to: str, seen: int | None = None) -> bool:
    """The show's next state, if it may come from its present one, and is of the version ``seen`` where one is given;
    returns whether it did.
    """
    may_come_from = list(SHOW_MAY_COME_FROM.get(to, ()))
    return count_of(ADVANCE_SHOW, show_id=show_id, to=to, may_come_from=may_come_from, seen=seen) == 1


def _count_marked(sql: str, **values: Any) -> int:
    """How many seats the statement has changed. See Note [Marks]."""
    changed = dict(rows_of(sql, **values))
    ask_for_count(show_ids=changed)
    return sum(changed.values())
