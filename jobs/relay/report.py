"""What a relay tells the others: that it lives, how fast queues drain, and how much there is to do.

About every second while there is work, every ``BEAT_SECONDS`` at rest, and for no more than a fiftieth of the time as
long as that keeps the load fresh, however large the backlog is.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

import structlog
from django.db import DatabaseError, InterfaceError

from jobs.dead.report import report_standing_fault
from jobs.flow.heartbeats import BEAT_SECONDS, Sign, beat, drains, forget_the_gone, leave
from jobs.flow.load import Load, measure, save
from jobs.flow.window import Drain
from jobs.models import Heartbeat
from jobs.queues import all_queues
from jobs.session import drop_broken_connections, engine_session, session_was_lost

SECONDS = 1.0
SHARE = 50
"""Measuring takes at most this part of the time."""
LONGEST_SECONDS = 10.0
"""A load must not go stale while a relay runs, even where measuring is slow."""
FORGET_SECONDS = 60.0

log = structlog.get_logger(__name__)


class Report:
    """What one relay tells about itself and its database."""

    def __init__(self, *, using: str) -> None:
        self._using = using
        self._name = f"relay@{socket.gethostname()} pid {os.getpid()}"
        self._started_at: datetime | None = None
        self._soon = self._next = self._next_forget = 0.0
        self._found_work = False

    def look(self, drained: Mapping[str, Drain]) -> None:
        """Tell what is known, if it is time. drained: by queue, what the relay saw of its drain.

        Raises Django's DatabaseError or InterfaceError when the session is lost.
        """
        now = time.monotonic()
        has_work = self._found_work or any(drain.left_behind for drain in drained.values())
        if now < (self._soon if has_work else self._next):
            return
        session = engine_session(self._using)
        try:
            self._tell(drained)
        except Exception as failure:
            if session_was_lost(failure, using=self._using, session=session):
                raise
            # What is not measured must not hold up the jobs.
            report_standing_fault(failure, where="load")
            log.exception("load_not_measured")
            drop_broken_connections([self._using])
        took = time.monotonic() - now
        self._soon = now + min(max(SECONDS, SHARE * took), LONGEST_SECONDS)
        self._next = max(now + BEAT_SECONDS, self._soon)

    def close(self) -> None:
        """Leave in good order, if the database can be reached."""
        with suppress(DatabaseError, InterfaceError):
            leave(name=self._name, using=self._using)

    def _tell(self, drained: Mapping[str, Drain]) -> None:
        sign = Sign(
            name=self._name,
            kind=Heartbeat.Kind.RELAY,
            queues=[queue.name for queue in all_queues()],
            drains={queue: round(drain.lately, 4) for queue, drain in drained.items()},
        )
        self._started_at = beat(sign, using=self._using, started_at=self._started_at)
        loads = measure(using=self._using, drains=drains(using=self._using))
        save(loads, using=self._using)
        self._found_work = any(_has_work(load) for load in loads)
        if time.monotonic() >= self._next_forget:
            self._next_forget = time.monotonic() + FORGET_SECONDS
            forget_the_gone(using=self._using)


def _has_work(load: Load) -> bool:
    return bool(load.ready or load.published or load.running or load.oldest_seconds > 0)
