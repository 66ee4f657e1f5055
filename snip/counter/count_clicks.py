"""The counter: it reads the log of clicks and adds them to the counts, batch by batch.

Acknowledge after: an entry is acknowledged when its click is on PostgreSQL's disk, so it is brought at least once, and
the ids that are claimed with the counts make it once in effect. Whatever dies in between, the entries are given to
another counter after ``IDLE``. Any number of counters may run.
"""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import uuid4

import redis
import structlog

from jobs.dead.report import report_standing_fault
from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass, Policy, longest_wait
from jobs.session import drop_broken_connections
from snip.counter import metrics
from snip.counter.apply import Applier
from snip.counter.deal_with import deal_with
from snip.counter.upkeep import Upkeep
from snip.log.group import Consumer, Entry

log = structlog.get_logger(__name__)

GROUP = "counter"

BATCH = 4000
"""Entries of one batch: a transaction of some ten milliseconds."""

IDLE = timedelta(seconds=60)
"""How long a counter may hold a batch. One that holds it longer does no harm: whoever is second adds nothing."""

CLAIM_SECONDS = 10.0
"""Between two looks for what others hold for too long."""

PAUSE_SECONDS = 0.1
"""Between two looks at a log that had nothing new. Who looks at counts does not see the difference."""

JOIN_SECONDS = 30.0
"""Between two looks for streams that other processes have begun to write."""

POLICY = Policy(max_retries=None, backoff=0.5, backoff_max=30.0)
"""Of faults that may heal: for ever, since the clicks wait in the log meanwhile."""


class ClickCounter:
    """One counter of the group. ``run`` returns when ``stop`` was called, after the batch in hand.

    ``find_further`` is asked now and then which streams to read beside ``streams``.
    """

    def __init__(
        self,
        *,
        client: redis.Redis,
        streams: Sequence[str],
        using: str = "default",
        idle: timedelta = IDLE,
        find_further: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        # A name that nobody had: what a counter held that died is taken over by its silence alone.
        name = f"counter@{socket.gethostname()} pid {os.getpid()} {uuid4().hex[:6]}"
        self._consumer = Consumer(client=client, streams=streams, group=GROUP, name=name)
        self._upkeep = Upkeep(consumer=self._consumer, name=name, streams=streams, using=using)
        self._applier = Applier(using=using)
        self._using = using
        self._idle = idle
        self._find_further = find_further
        self._has_group = False
        self._next_claim = self._next_join = 0.0
        self._in_hand: Sequence[Entry] = ()
        self._is_applied = False
        self._stopping = False

    def stop(self, *_: object) -> None:
        """Ask the loop to end. Safe in a signal handler."""
        self._stopping = True

    def run(self, *, on_ready: Callable[[], object] = lambda: None) -> None:
        """Count until stopped, through any outage of Redis or the database."""
        failures = 0
        announced = False
        while not self._stopping:
            try:
                moved = self.run_once()
                failures = 0
                if not announced:
                    announced = True
                    on_ready()
                if not moved:
                    self._sleep(PAUSE_SECONDS)
            except Exception as fault:
                self._recover(fault)
                bound = longest_wait(failed_before=failures, policy=POLICY)
                self._sleep(bound * random.random())  # noqa: S311  (jitter, not a secret)
                failures += 1
        self._upkeep.close()

    def run_once(self) -> int:
        """Deal with one batch; return how many entries it had.

        Raises whatever went wrong. The batch stays in hand then, and the next call goes on where this one stopped.
        """
        self._upkeep.look(has_group=self._has_group)
        if not self._in_hand:
            self._in_hand, self._is_applied = self._take(), False
        if not self._in_hand:
            return 0
        if not self._is_applied:
            deal_with(self._in_hand, applier=self._applier, using=self._using)
            self._is_applied = True
        self._consumer.acknowledge(self._in_hand)
        moved, self._in_hand = len(self._in_hand), ()
        return moved

    def _take(self) -> Sequence[Entry]:
        """What others have held for too long, now and then, or else what is new."""
        if not self._has_group or time.monotonic() >= self._next_join:
            self._join()
        most = max(1, BATCH // len(self._consumer.streams))
        if time.monotonic() >= self._next_claim:
            claimed = self._consumer.claim(most=most, idle=self._idle)
            self._note_lost(claimed.lost)
            if claimed.entries:
                metrics.CLAIMED.inc(len(claimed.entries))
                log.warning("clicks_claimed", entries=len(claimed.entries))
                return claimed.entries
            self._next_claim = time.monotonic() + min(CLAIM_SECONDS, self._idle.total_seconds())
        taken = self._consumer.read(most=most)
        self._note_lost(taken.lost)
        return taken.entries

    def _join(self) -> None:
        self._consumer.follow(self._find_further())
        self._consumer.ensure_group()
        self._has_group, self._next_join = True, time.monotonic() + JOIN_SECONDS

    def _note_lost(self, lost: int) -> None:
        if lost:
            log.error("clicks_lost", entries=lost, why="the log shed them before they were counted")

    def _sleep(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._stopping and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(0.1, left))

    def _recover(self, fault: Exception) -> None:
        metrics.FAILED.labels(error=type(fault).__name__).inc()
        log.warning("counter_waits", error=type(fault).__name__, what=str(fault)[:200])
        if isinstance(fault, redis.RedisError):
            self._has_group = False  # a Redis that lost its data has no group any more
            return
        if classify(fault) is FailureClass.PERMANENT:  # waiting alone does not heal it: somebody should hear of it
            report_standing_fault(fault, where="clicks")
        drop_broken_connections([self._using])
