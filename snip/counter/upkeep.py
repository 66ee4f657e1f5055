"""What a counter does beside counting: it says that it lives, tells how far the group is, and tends the partitions.

A fault here never holds up the clicks: it is logged, and tried again later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import redis
import structlog
from django.db import DatabaseError, InterfaceError

from jobs.dead.report import report_standing_fault
from jobs.flow.heartbeats import BEAT_SECONDS, Sign, beat, leave
from jobs.models import Heartbeat
from jobs.session import drop_broken_connections
from snip.counter import metrics
from snip.counter.partitions import drop_expired_partitions, make_partitions_ahead
from snip.log.group import Consumer

log = structlog.get_logger(__name__)

PARTITION_SECONDS = 600.0
FAULT_SECONDS = 60.0
FORGOTTEN_AFTER = timedelta(hours=1)
"""A consumer that holds nothing and is silent for so long has ended; one that lives asks several times a second."""


class Upkeep:
    """Of one counter, by the name that it has in the group."""

    def __init__(self, *, consumer: Consumer, name: str, streams: Sequence[str], using: str) -> None:
        self._consumer = consumer
        self._name = name
        self._streams = list(streams)
        self._using = using
        self._started_at: datetime | None = None
        self._next = self._next_partitions = self._next_forgetting = 0.0

    def look(self, *, has_group: bool) -> None:
        """Do what is due. Raises nothing. has_group: whether the group was there a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BEAT_SECONDS
        try:
            self._tell_database(now)
        except Exception as fault:
            self._next = now + FAULT_SECONDS
            self._note(fault)
            drop_broken_connections([self._using])
        if has_group:
            try:
                self._ask_redis(now)
            except Exception as fault:  # the counter itself meets it too, and waits
                self._note(fault)

    def close(self) -> None:
        """Leave in good order, as far as the database and Redis can be reached."""
        with suppress(DatabaseError, InterfaceError):
            leave(name=self._name, using=self._using)
        with suppress(redis.RedisError):
            self._consumer.leave()

    def _tell_database(self, now: float) -> None:
        sign = Sign(name=self._name, kind=Heartbeat.Kind.COUNTER, queues=self._streams)
        self._started_at = beat(sign, using=self._using, started_at=self._started_at)
        if now >= self._next_partitions:
            self._next_partitions = now + PARTITION_SECONDS
            make_partitions_ahead(using=self._using)
            drop_expired_partitions(using=self._using)

    def _ask_redis(self, now: float) -> None:
        standing = self._consumer.standing()
        metrics.LAG.set(standing.lag)
        metrics.PENDING.set(standing.pending)
        metrics.LOST.set(standing.lost)
        if now >= self._next_forgetting:
            self._next_forgetting = now + FORGOTTEN_AFTER.total_seconds()
            self._consumer.forget_the_silent(after=FORGOTTEN_AFTER)

    def _note(self, fault: Exception) -> None:
        if not isinstance(fault, redis.RedisError | DatabaseError | InterfaceError):
            report_standing_fault(fault, where="clicks")
        log.warning("counter_not_kept", error=type(fault).__name__, what=str(fault)[:200])
