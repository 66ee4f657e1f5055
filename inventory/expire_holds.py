"""Marks holds whose time has run out and puts their seats back on sale, a batch in each transaction.

Nothing waits for it to be correct: a hold that has lapsed cannot be confirmed, and its seats can be taken, whether
or not anybody has come by. Safe to run any number of times in parallel, and beside sales, without any lock: holds
that somebody is busy with are passed over, and a conditional UPDATE ends each of the others once. A run that dies
leaves whole batches done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import structlog
from django.db import DatabaseError, transaction

from inventory import transitions
from inventory.end_lapsed_holds import end_lapsed_holds
from jobs.lease import Lease

log = structlog.get_logger(__name__)

BATCH = 500
"""Holds of one transaction: some tens of milliseconds, in which a fan who wants one of their seats may wait."""


class _BatchRefused(Exception):
    """The database refused to expire these holds together; at least one of them is to blame."""

    def __init__(self, hold_ids: Sequence[int]) -> None:
        super().__init__(f"Holds {list(hold_ids)} were not expired.")
        self.hold_ids = hold_ids


def expire_holds(*, batch_size: int = BATCH) -> int:
    """Expire all holds that have lapsed, under no lock; returns how many. See ``batches_of_lapsed_holds``."""
    return sum(batches_of_lapsed_holds(batch_size=batch_size))


def batches_of_lapsed_holds(*, batch_size: int = BATCH, lock: Lease | None = None) -> Iterator[int]:
    """Expire all holds that have lapsed, ``batch_size`` of them in each transaction; gives the size of each batch
    that has committed.

    Holds that somebody is busy with are left to him. One that the database refuses to expire is named in the log
    and left for the next sweep: the batch around it is halved until it stands alone, and all others are expired.
    Raises LockLost when ``lock`` is no longer ours, and DatabaseError when the database itself cannot be used; the
    batch in hand is then rolled back, and those before it stay.
    """
    sweep = _Sweep(lock=lock)
    size = batch_size
    while True:
        try:
            expired = sweep.expire_batch(limit=size)
        except _BatchRefused as refusal:
            if len(refusal.hold_ids) > 1:
                size = len(refusal.hold_ids) // 2
                continue
            log.error("hold not expired", hold_id=refusal.hold_ids[0], exc_info=refusal.__cause__)
            sweep.left_out += refusal.hold_ids
        else:
            if not expired:
                return
            yield expired
        size = batch_size


class _Sweep:
    """How far it has come, and which holds it has given up."""

    def __init__(self, *, lock: Lease | None) -> None:
        self.left_out: list[int] = []
        self._lock = lock
        self._after: datetime | None = None

    def expire_batch(self, *, limit: int) -> int:
        hold_ids: list[int] = []
        try:
            with transaction.atomic():
                if self._lock is not None:
                    self._lock.prove()
                hold_ids, after = transitions.lock_lapsed_batch(
                    limit=limit, after=self._after, except_ids=self.left_out
                )
                if not hold_ids:
                    return 0
                expired = len(end_lapsed_holds(hold_ids=hold_ids, way="sweeper"))
        except DatabaseError as error:
            if not hold_ids:
                raise
            raise _BatchRefused(hold_ids) from error
        self._after = after
        return expired
