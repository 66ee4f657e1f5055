"""The sweeper: marks holds whose time has run out and puts their seats back on sale.

Nothing waits for it to be correct: a hold that has lapsed cannot be confirmed, and its seats can be taken, whether
or not the sweeper has come by. Safe to run any number of times in parallel, and beside sales.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.db import DatabaseError, transaction

from inventory import transitions

log = structlog.get_logger(__name__)


class _BatchRefused(Exception):
    """The database refused to expire these holds together; at least one of them is to blame."""

    def __init__(self, hold_ids: Sequence[int]) -> None:
        super().__init__(f"Holds {list(hold_ids)} were not expired.")
        self.hold_ids = hold_ids


def expire_holds(*, batch_size: int = 500) -> int:
    """Expire all holds that have lapsed, ``batch_size`` of them in each transaction; returns how many.

    Holds that somebody is busy with are left to him. One that the database refuses to expire is named in the log
    and left for the next sweep: the batch around it is halved until it stands alone, and all others are expired.
    Raises DatabaseError when the database itself cannot be used.
    """
    expired = 0
    left_out: list[int] = []
    size = batch_size
    while True:
        try:
            batch = _expire_batch(limit=size, except_ids=left_out)
        except _BatchRefused as refusal:
            if len(refusal.hold_ids) > 1:
                size = len(refusal.hold_ids) // 2
                continue
            log.error("hold not expired", hold_id=refusal.hold_ids[0], exc_info=refusal.__cause__)
            left_out += refusal.hold_ids
            batch = 0
        else:
            if not batch:
                return expired
        expired += batch
        size = batch_size


def _expire_batch(*, limit: int, except_ids: Sequence[int]) -> int:
    hold_ids: list[int] = []
    try:
        with transaction.atomic():
            hold_ids = transitions.lock_lapsed_batch(limit=limit, except_ids=except_ids)
            if not hold_ids:
                return 0
            expired = transitions.expire_holds(hold_ids=hold_ids)
            transitions.free_seats(hold_ids=expired)
            return len(expired)
    except DatabaseError as error:
        if not hold_ids:
            raise
        raise _BatchRefused(hold_ids) from error
