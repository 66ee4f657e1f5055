"""A beat's sign of life: whoever asks sees how many are there to take over when the one that ticks is gone.

Guarantee: it is never in the way of a schedule. What goes wrong here is logged, and tried again a little later.
"""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime

import structlog
from django.db import DatabaseError, InterfaceError

from jobs.flow.heartbeats import BEAT_SECONDS, Sign, beat, leave
from jobs.models import Heartbeat
from jobs.session import drop_broken_connections

log = structlog.get_logger(__name__)


class BeatSign:
    """The row of this beat, leader or not, in one database. Call ``beat`` outside any transaction."""

    def __init__(self, *, using: str = "default") -> None:
        self._using = using
        self._name = f"beat@{socket.gethostname()} pid {os.getpid()}"
        self._started_at: datetime | None = None
        self._next = 0.0

    def beat(self) -> None:
        """Write the row if it is time, every ``BEAT_SECONDS``. One query then, none otherwise."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BEAT_SECONDS
        sign = Sign(name=self._name, kind=Heartbeat.Kind.BEAT, queues=[])
        try:
            self._started_at = beat(sign, using=self._using, started_at=self._started_at)
        except (DatabaseError, InterfaceError) as error:
            self._give_up("heartbeat_failed", error)

    def leave(self) -> None:
        """Take the row away, at the end of a beat that ends in good order. One query."""
        try:
            leave(name=self._name, using=self._using)
        except (DatabaseError, InterfaceError) as error:
            self._give_up("heartbeat_left_behind", error)

    def _give_up(self, event: str, error: Exception) -> None:
        log.warning(event, error=type(error).__name__, database=self._using)
        drop_broken_connections([self._using])
