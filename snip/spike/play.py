"""Playing a spike: ordinary times, ten times as much, ordinary times until nothing waits; with a look each second.

Bounded: whatever the counters do, it ends ``LONGEST_DRAIN`` after the spike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

import redis

from snip.counter.count_clicks import GROUP
from snip.log.age import oldest_unread_seconds
from snip.log.group import Consumer
from snip.spike.arithmetic import Sample
from snip.spike.ground import STREAMS
from snip.spike.write import Writer

TICK_SECONDS = 0.05
LOOK_SECONDS = 1.0
DRAINED_SECONDS = 1.0
"""An oldest click of this age is that of ordinary times: it comes, and is counted with the next batch."""
LONGEST_DRAIN = 900.0
CALIBRATION_SECONDS = 120.0


class NothingCounted(Exception):
    """The counters did not count what was written for them in two minutes. Their words stand above."""


@dataclass
class Run:
    """Samples of a run, and when the spike began and ended in it. drained: whether nothing waits any more."""

    samples: list[Sample] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0
    drained: bool = False


class Player:
    """Plays on the spike's ground. on_look: told of every sample."""

    def __init__(self, *, client: redis.Redis, writer: Writer, on_look: Callable[[Sample], object]) -> None:
        self._client = client
        self._writer = writer
        self._on_look = on_look
        self._group = Consumer(client=client, streams=STREAMS, group=GROUP, name=f"spike {uuid4().hex[:6]}")
        self._began = time.monotonic()
        self.run = Run()

    def capacity(self, clicks: int) -> float:
        """Clicks a second that the counters take when so many wait. Raises NothingCounted."""
        self._writer.write(clicks)
        deadline, first = time.monotonic() + CALIBRATION_SECONDS, (time.monotonic(), self._waiting())
        while time.monotonic() < deadline:
            waiting = self._waiting()
            if not waiting:
                return first[1] / (time.monotonic() - first[0])
            time.sleep(TICK_SECONDS / 5)
        raise NothingCounted

    def play(self, *, rate: float, times: float, lead: float, seconds: float) -> None:
        """Fill ``run``: ``lead`` seconds at ``rate``, ``seconds`` at so many times that, and then until it is drained.

        What was played is in ``run`` when it is broken off, too. Raises redis.RedisError, and LogFull.
        """
        self._began = time.monotonic()
        written = self._writer.written
        self._look(written)
        self._go(rate, until=lead, before=written)
        self.run.began = self._now()
        self._go(rate * times, until=self.run.began + seconds, before=written)
        self.run.ended = self._now()
        end = self.run.ended + LONGEST_DRAIN
        while not self.run.drained and self._now() < end:
            self._go(rate, until=self._now() + LOOK_SECONDS, before=written)
            self.run.drained = self.run.samples[-1].age <= DRAINED_SECONDS

    def settle(self) -> None:
        """Wait until the last clicks are counted. Raises NothingCounted."""
        deadline = time.monotonic() + CALIBRATION_SECONDS
        while self._waiting():
            if time.monotonic() > deadline:
                raise NothingCounted
            time.sleep(TICK_SECONDS)

    def _go(self, rate: float, *, until: float, before: int) -> None:
        """Write at ``rate``; what could not be written in time is written as soon as it can."""
        began, written = self._now(), 0
        next_look = began + LOOK_SECONDS
        while (now := self._now()) < until:
            due = int(rate * (now - began)) - written
            self._writer.write(min(due, int(rate)))
            written += min(due, int(rate))
            if now >= next_look:
                self._look(before)
                next_look += LOOK_SECONDS
            time.sleep(max(0.0, min(TICK_SECONDS - (self._now() - now), until - self._now())))
        self._look(before)

    def _look(self, before: int) -> None:
        waiting = self._waiting()
        age = oldest_unread_seconds(client=self._client, streams=STREAMS, group=GROUP) if waiting else 0.0
        sample = Sample(self._now(), self._writer.written - before, waiting, age)
        self._writer.trim(group=GROUP)
        self.run.samples.append(sample)
        self._on_look(sample)

    def _waiting(self) -> int:
        standing = self._group.standing()
        return standing.lag + standing.pending

    def _now(self) -> float:
        return time.monotonic() - self._began
