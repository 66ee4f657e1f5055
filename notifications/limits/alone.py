"""The limit that each thread keeps by itself while Redis is away: the rate, divided by all that may call at once.

That is a thread or a process of each worker that takes jobs of this provider, as the workers say themselves
(``jobs_heartbeat``). Each keeps to its part though others are idle, so that all together are below the rate whatever
happens, and exactly at it only when all are busy.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass

import structlog
from django.db import DatabaseError, InterfaceError

from jobs.flow.slots import most_slots_at, slots_at

log = structlog.get_logger(__name__)

LONGEST_WAIT_SECONDS = 5.0
"""How long a thread may wait for its next call. The parts are small: those of 320 threads are 3.2 s apart at 100 calls
a second, and a thread that gave its job back meanwhile would only take the next one, and give that back, too."""

KNOWN_SECONDS = 15.0
"""How old what is known of the workers may be."""


@dataclass
class _Part:
    """What one thread knows of one provider. Times are seconds of a clock that only grows."""

    slots: int = 1
    counted_at: float = float("-inf")
    free_at: float = float("-inf")


class _Parts(threading.local):
    def __init__(self) -> None:
        self.by_provider: dict[str, _Part] = {}


_parts = _Parts()


@dataclass(frozen=True)
class Place:
    """This thread's next call. booked: unless it is too far away. wait: seconds until then. due: the same, by
    ``time.monotonic``."""

    booked: bool
    wait: float
    due: float


def book(provider: str, *, rate: float) -> Place:
    """Book this thread's next call to ``provider``. A query now and then.

    rate: of all workers together, in calls a second.
    """
    part = _parts.by_provider.setdefault(provider, _Part())
    if time.monotonic() >= part.counted_at + KNOWN_SECONDS:
        part.slots, part.counted_at = _slots(provider), time.monotonic()
    spacing, now = part.slots / rate, time.monotonic()
    if not now - spacing <= part.free_at <= now + spacing + LONGEST_WAIT_SECONDS:
        # After a rest: the others begin at the same moment, and must not all call at once.
        part.free_at = now + spacing * random.random()  # noqa: S311  (jitter, not a secret)
    wait = max(part.free_at - now, 0.0)
    booked = wait <= LONGEST_WAIT_SECONDS
    if booked:
        part.free_at = now + wait + spacing
    return Place(booked, wait, due=now + wait)


def _slots(provider: str) -> int:
    """From the heartbeats; where they say nothing, as many as there may be by the tables, which is the safe side."""
    try:
        return slots_at(destination=provider) or most_slots_at(destination=provider)
    except (DatabaseError, InterfaceError) as error:
        log.warning("workers_not_counted", error=type(error).__name__)
        return most_slots_at(destination=provider)
