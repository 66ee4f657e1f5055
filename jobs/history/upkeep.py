"""The relay's part in it: a small batch now and then, so that nobody has to think of it.

Any number of relays may do it at once. A fault here never holds up the jobs: it is reported, and tried again later.
"""

from __future__ import annotations

import time

import structlog

from jobs.dead.report import report_standing_fault
from jobs.history.partitions import drop_expired_partitions, make_partitions_ahead
from jobs.history.retire import BATCH, Retirement
from jobs.session import drop_broken_connections, engine_session, session_was_lost

log = structlog.get_logger(__name__)

BUSY_SECONDS = 1.0
"""Between full batches: 17 million jobs a day for each relay."""
IDLE_SECONDS = 10.0
"""When no full batch was due. What ends in these ten seconds is moved ten seconds later."""
SHARE = 20
"""Moving takes at most this part of a relay's time, however slow the database is."""
PARTITION_SECONDS = 3600.0
FAULT_SECONDS = 60.0


class Upkeep:
    """Keeps the ledger of one database small."""

    def __init__(self, *, using: str) -> None:
        self._using = using
        self._retirement = Retirement(using=using)
        self._next_batch = 0.0
        self._next_partitions = 0.0

    def look(self) -> int:
        """Do what is due, if it is time to look; return how many jobs were moved.

        Raises Django's database errors only when the session itself is lost.
        """
        started = time.monotonic()
        if started < self._next_batch:
            return 0
        session = engine_session(self._using)
        try:
            moved = self._work(started)
        except Exception as failure:
            if session_was_lost(failure, using=self._using, session=session):
                raise
            report_standing_fault(failure, where="history")
            log.exception("history_not_kept", database=self._using)
            drop_broken_connections([self._using])
            self._retirement = Retirement(using=self._using)
            self._next_batch = time.monotonic() + FAULT_SECONDS
            return 0
        ended = time.monotonic()
        pause = BUSY_SECONDS if moved == BATCH else IDLE_SECONDS
        self._next_batch = ended + max(pause, SHARE * (ended - started))
        return moved

    def _work(self, now: float) -> int:
        moved = self._retirement.retire_batch()  # first, or a fault of the partitions would keep all jobs here
        if now >= self._next_partitions:
            self._next_partitions = now + PARTITION_SECONDS
            make_partitions_ahead(using=self._using)
            drop_expired_partitions(using=self._using)
        return moved
