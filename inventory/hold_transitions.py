"""What happens to a hold while it lasts: extended, left and come back to, bought by. One conditional UPDATE each.

All functions need an open transaction; the service that calls them owns it. Each touches the row of one hold alone, so
the order of locks (see Note [Order of locks] in ``inventory.transitions``) asks nothing of them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from inventory.models import Hold
from inventory.statements import count_of, rows_of

# Once. By the unique token.
EXTEND_HOLD = """
    UPDATE inventory_hold SET expires_at = expires_at + %(by)s, extended_at = jobs_now()
     WHERE token = %(token)s AND status = 'active' AND expires_at > jobs_now() AND extended_at IS NULL
    RETURNING expires_at
"""

# A hold that somebody buys by is not left any more: he is on the payment page. By the unique token.
LEAVE_HOLD = """
    UPDATE inventory_hold SET left_at = jobs_now()
     WHERE token = %(token)s AND status = 'active' AND expires_at > jobs_now()
       AND ordered_at IS NULL AND left_at IS NULL
    RETURNING id, left_at
"""

# By the unique token.
COME_BACK = """
    UPDATE inventory_hold SET left_at = NULL
     WHERE token = %(token)s AND status = 'active' AND left_at IS NOT NULL
"""

# When the grace of a hold that was left is over, and whether it is. By primary key.
LOCK_LEFT_HOLD = """
    SELECT left_at + %(grace)s, left_at + %(grace)s <= jobs_now() FROM inventory_hold
     WHERE id = %(hold_id)s AND status = 'active' AND left_at IS NOT NULL AND ordered_at IS NULL
       FOR NO KEY UPDATE
"""

# By primary key.
RELEASE_LEFT_HOLD = """
    UPDATE inventory_hold SET status = 'released'
     WHERE id = %(hold_id)s AND status = 'active' AND left_at IS NOT NULL AND ordered_at IS NULL
       AND left_at + %(grace)s <= jobs_now()
"""

# In whose place another one was taken. By primary key.
RELEASE_REPLACED = """
    UPDATE inventory_hold SET status = 'released'
     WHERE id = %(hold_id)s AND status = 'active' AND ordered_at IS NULL
"""

# Whoever comes second, or too late, gets no row. By the unique token.
BEGIN_ORDER = """
    UPDATE inventory_hold SET ordered_at = jobs_now(), left_at = NULL
     WHERE token = %(token)s AND status = 'active' AND expires_at > jobs_now() AND ordered_at IS NULL
    RETURNING id, show_id, token, seat_ids, prices, currency, status, expires_at, created_at, extended_at, left_at,
              ordered_at, holder, follows_id
"""


# By staff, as often as need be; the end that they saw decides between two who press. By primary key.
EXTEND_BY_HAND = """
    UPDATE inventory_hold SET expires_at = expires_at + %(by)s
     WHERE id = %(hold_id)s AND status = 'active' AND expires_at > jobs_now() AND expires_at = %(seen)s
       AND expires_at + %(by)s <= jobs_now() + %(longest)s
    RETURNING expires_at
"""

# By staff, whoever holds it. By primary key.
RELEASE_BY_HAND = """
    UPDATE inventory_hold SET status = 'released'
     WHERE id = %(hold_id)s AND status = 'active' AND expires_at > jobs_now()
    RETURNING expires_at
"""


# By who took it, and nobody buys by it. By primary key.
RELEASE_OWN = """
    UPDATE inventory_hold SET status = 'released'
     WHERE id = %(hold_id)s AND holder = %(holder)s AND status = 'active' AND ordered_at IS NULL
"""


class LeftHold(NamedTuple):
    """A hold that nobody has come back to, and when its seats are to be free."""

    ends: datetime
    is_over: bool


def extend(*, token: UUID, by: timedelta) -> datetime | None:
    """Once in its life an open hold ends later; returns when, or None where that was refused."""
    rows = rows_of(EXTEND_HOLD, token=token, by=by)
    return rows[0][0] if rows else None


def leave(*, token: UUID) -> tuple[int, datetime] | None:
    """Marks an open hold as left, unless it is already or an order was placed; returns its id, and since when."""
    rows = rows_of(LEAVE_HOLD, token=token)
    return (rows[0][0], rows[0][1]) if rows else None


def come_back(*, token: UUID) -> bool:
    """Takes the mark away; returns whether there was one."""
    return count_of(COME_BACK, token=token) == 1


def lock_left_hold(*, hold_id: int, grace: timedelta) -> LeftHold | None:
    """Locks the hold; None where it has ended, or somebody has come back or buys by it."""
    rows = rows_of(LOCK_LEFT_HOLD, hold_id=hold_id, grace=grace)
    return LeftHold(*rows[0]) if rows else None


def release_left_hold(*, hold_id: int, grace: timedelta) -> bool:
    """active → released, for a hold that was left as long ago as ``grace``."""
    return count_of(RELEASE_LEFT_HOLD, hold_id=hold_id, grace=grace) == 1


def release_replaced(*, hold_id: int) -> bool:
    """active → released, since its fan has taken other seats; not where an order was placed."""
    return count_of(RELEASE_REPLACED, hold_id=hold_id) == 1


def extend_by_hand(*, hold_id: int, by: timedelta, seen: datetime, longest: timedelta) -> datetime | None:
    """An open hold that ends at ``seen`` ends later, within ``longest`` from now; returns when, or None."""
    rows = rows_of(EXTEND_BY_HAND, hold_id=hold_id, by=by, seen=seen, longest=longest)
    return rows[0][0] if rows else None


def release_by_hand(*, hold_id: int) -> datetime | None:
    """active → released, for an open hold; returns when it would have ended, or None where it is over."""
    rows = rows_of(RELEASE_BY_HAND, hold_id=hold_id)
    return rows[0][0] if rows else None


def release_own(*, hold_id: int, holder: UUID) -> bool:
    """active → released, for a hold that ``holder`` has taken and nobody buys by."""
    return count_of(RELEASE_OWN, hold_id=hold_id, holder=holder) == 1


def begin_order(*, token: UUID) -> Hold | None:
    """Notes that somebody buys by an open hold, and locks it; None where it is not open, or had been noted before."""
    for hold in Hold.objects.raw(BEGIN_ORDER, {"token": token}):
        return hold
    return None
